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

    Scenario: The best memory is first before any other question
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | stairs   | Rain damaged the lighthouse stairs       |
        | visitors | Visitors climb the lighthouse on Sundays |
        | cellar   | A baker rents the lighthouse cellar      |
      When "lighthouse stairs rain" is recalled
      Then the "answer" says:
        | hits[0].id | key:stairs |

    Scenario: The best memory is first after twenty-eight unrelated questions
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | stairs   | Rain damaged the lighthouse stairs       |
        | visitors | Visitors climb the lighthouse on Sundays |
        | cellar   | A baker rents the lighthouse cellar      |
      And "lighthouse stairs rain" is recalled
      And "violin sonata rehearsal" is recalled
      And "quantum physics" is recalled
      And "vaccination" is recalled
      And "dentist" is recalled
      And "zqxjvkwp" is recalled
      And "Mongolian throat singing" is recalled
      And "compound interest" is recalled
      And "knitting pattern" is recalled
      And "volcano" is recalled
      And "jazz piano" is recalled
      And "mushroom soup" is recalled
      And "tax return" is recalled
      And "polar bear" is recalled
      And "chess opening" is recalled
      And "marathon training" is recalled
      And "stamp album" is recalled
      And "desert fox" is recalled
      And "bamboo furniture" is recalled
      And "小提琴" is recalled
      And "量子物理" is recalled
      And "疫苗" is recalled
      And "牙医" is recalled
      And "gluvitz mopquix" is recalled
      And "football" is recalled
      And "opera tickets" is recalled
      And "passport photo" is recalled
      And "hamster cage" is recalled
      And "yoga mat" is recalled
      When "lighthouse stairs rain" is recalled
      Then the "answer" says:
        | hits[0].id | key:stairs |

    Scenario: The best memory is first after many questions for its rival
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | stairs   | Rain damaged the lighthouse stairs       |
        | visitors | Visitors climb the lighthouse on Sundays |
        | cellar   | A baker rents the lighthouse cellar      |
      And "lighthouse stairs rain" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      When "lighthouse stairs rain" is recalled
      Then the "answer" says:
        | hits[0].id | key:stairs |
