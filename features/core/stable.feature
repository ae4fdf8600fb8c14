Feature: Results are stable

  Where whole answers are compared, the clock stands still, because an honest score may age.

  @req:memory-core/results-are-stable @must
  Rule: Results are stable

    @needs:clock
    Scenario: The same question has the same answer
      Given an empty store with:
        | clock | 2026-03-01T09:00:00Z |
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
      And "lighthouse" is recalled
      And the answer is kept
      When "lighthouse" is recalled
      Then the answer equals the kept one

    @needs:clock
    Scenario: A question in between changes no answer
      Given an empty store with:
        | clock | 2026-03-01T09:00:00Z |
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
      And "lighthouse" is recalled
      And the answer is kept
      And "keeper Ines" is recalled
      And "violin sonata" is recalled
      When "lighthouse" is recalled
      Then the answer equals the kept one

    @needs:clock
    Scenario: A smaller limit in between changes no answer
      Given an empty store with:
        | clock | 2026-03-01T09:00:00Z |
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
      And "lighthouse" is recalled
      And the answer is kept
      And "lighthouse" is recalled with:
        | limit | 1 |
      When "lighthouse" is recalled
      Then the answer equals the kept one

    @needs:clock
    Scenario: Asking for one memory often moves no rank
      Given an empty store with:
        | clock | 2026-03-01T09:00:00Z |
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
      And "lighthouse" is recalled
      And the answer is kept
      And "climb Sundays" is recalled
      And "climb Sundays" is recalled
      And "climb Sundays" is recalled
      And "climb Sundays" is recalled
      And "Rain damaged stairs" is recalled
      And "Rain damaged stairs" is recalled
      And "Rain damaged stairs" is recalled
      And "Rain damaged stairs" is recalled
      When "lighthouse" is recalled
      Then the answer equals the kept one

    @needs:clock
    Scenario Outline: Reading a memory often moves no rank
      Given an empty store with:
        | clock | 2026-03-01T09:00:00Z |
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
      And "lighthouse" is recalled
      And the answer is kept
      And the operation "get" is called with:
        | id | <key> |
      And the operation "get" is called with:
        | id | <key> |
      And the operation "get" is called with:
        | id | <key> |
      And the operation "get" is called with:
        | id | <key> |
      When "lighthouse" is recalled
      Then the answer equals the kept one

      Examples:
        | key      |
        | keeper   |
        | visitors |
        | stairs   |

    @needs:clock @needs:context
    Scenario Outline: Assembling a context moves no rank
      Given an empty store with:
        | clock | 2026-03-01T09:00:00Z |
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
      And "lighthouse" is recalled
      And the answer is kept
      And the operation "context" is called with:
        | query | <query> |
      And the operation "context" is called with:
        | query | <query> |
      And the operation "context" is called with:
        | query | <query> |
      And the operation "context" is called with:
        | query | <query> |
      When "lighthouse" is recalled
      Then the answer equals the kept one

      Examples:
        | query               |
        | keeper Ines         |
        | climb Sundays       |
        | Rain damaged stairs |
