Feature: Foundation trace
  What is recorded of a retrieval and of a store: figures and ids, and no text of anybody's.

  @req:retrieval-foundation/the-trace-explains-without-showing @must @needs:trace
  Rule: The trace explains without showing

    Scenario: A trace names what was chosen
      Given an empty store
      And these memories are written:
        | key   | content                |
        | daily | The ferry runs daily   |
        | night | The ferry runs nightly |
        | soup  | Soup on Mondays        |
      When "the ferry runs" is recalled with:
        | trace | true |
      Then the "trace" says:
        | candidateCount      | 2               |
        | selectedIds.length  | 2               |
        | filtered.irrelevant | 0               |
        | *                   | without "ferry" |

    # The query has wferry gfer gerr grry wruns grun guns wdaily gdai gail gily, 11 tokens; ten has none
    # of daily and 7 / 11, soup has wdaily gdai gail gily, 4 / 11 = 0.364, and mill none.
    @needs:workspaces @needs:disable @needs:context @needs:clock @level:explain
    Scenario: Every figure of a trace is right
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content               | workspace | importance |
        | one  | The ferry runs daily  | /w/red    | 0.5        |
        | ten  | The ferry runs at ten | /w/red    | 0.5        |
        | soup | Soup comes daily      | /w/red    | 0.5        |
        | mill | Flour on Mondays      | /w/red    | 0.5        |
        | off  | The ferry runs at two | /w/red    | 0.5        |
        | next | The ferry runs at six | /w/blue   | 0.5        |
      And the operation "disable" is called with:
        | id        | off    |
        | workspace | /w/red |
      And the operation "context" is called with:
        | query     | ferry runs daily |
        | workspace | /w/red           |
      And the answer is kept
      When "ferry runs daily" is recalled with:
        | workspace | /w/red |
        | trace     | true   |
      Then the "trace" says:
        | mode                         | other than filesystem-fallback |
        | queryTokenCount              | 11                             |
        | queryTokensTruncated         | false                          |
        | candidateCount               | 3                              |
        | filtered.scope               | 1                              |
        | filtered.lifecycle           | 1                              |
        | filtered.irrelevant          | 1                              |
        | rankings.length              | 2                              |
        | rankings[0].memoryId         | key:one                        |
        | rankings[0].features.lexical | 1                              |
        | rankings[0].selected         | true                           |
        | rankings[1].memoryId         | key:ten                        |
        | rankings[1].features.lexical | 0.636363636                    |
        | rankings[1].selected         | true                           |
        | rankings[soup]               | null                           |
        | selectedIds                  | ["key:one","key:ten"]          |
        | excludedByPromptBudget       | []                             |
        | truncatedIds                 | []                             |
        | selectedCharacters           | {kept:text.length}             |
        | recordLimit                  | 8                              |
        | promptCharacterBudget        | 6000                           |

    @needs:workspaces @needs:tags
    Scenario: A trace shows no text
      Given an empty store
      And these memories are written:
        | key | content                                  | workspace    | tags      | sources                                                          |
        | m1  | Umbrellas dry slowly                     | /w/vermilion | gardening | [{"kind":"web","locator":"almanac.example","excerpt":"drizzle"}] |
        | m2  | Umbrellas are sold at the xylophone shop | /w/vermilion |           |                                                                  |
      When "umbrellas dry" is recalled with:
        | workspace | /w/vermilion |
        | trace     | true         |
      Then these are found:
        | m1 |
        | m2 |
      And the "trace" says:
        | selectedIds.length | 2                 |
        | *                  | without mbrella   |
        | *                  | without slowly    |
        | *                  | without xylophone |
        | *                  | without gardening |
        | *                  | without almanac   |
        | *                  | without drizzle   |
        | *                  | without vermilion |

    @needs:workspaces
    Scenario: A trace holds no foreign id
      Given an empty store
      And these memories are written:
        | key        | content                   | workspace |
        | mine       | The harbour opens at nine | /w/red    |
        | neighbours | The harbour opens at nine | /w/blue   |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red |
        | trace     | true   |
      Then the "trace" says:
        | selectedIds     | ["key:mine"]             |
        | rankings.length | 1                        |
        | *               | without "key:neighbours" |
        | *               | without "/w/"            |

    Scenario: No trace without asking
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled
      Then the "answer" says:
        | trace       | null |
        | hits.length | 1    |
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then the "trace" says:
        | selectedIds | ["key:ferry"] |

    Scenario: A trace lists at most 64 rankings
      Given an empty store
      And 70 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then the "trace" says:
        | candidateCount        | 70    |
        | rankings.length       | 64    |
        | rankings[0].selected  | true  |
        | rankings[7].selected  | true  |
        | rankings[8].selected  | false |
        | rankings[63].selected | false |
        | filtered.irrelevant   | 0     |

    @needs:clock @level:explain
    Scenario: A ranking says whether it was selected
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content                     | importance |
        | a   | The ferry runs daily at six | 0.1        |
        | b   | The ferry runs daily at two | 0.9        |
        | c   | The ferry runs daily at ten | 0.5        |
      When "ferry runs daily" is recalled with:
        | limit | 2    |
        | trace | true |
      Then the "trace" says:
        | selectedIds          | ["key:b","key:c"] |
        | rankings.length      | 3                 |
        | rankings[b].selected | true              |
        | rankings[c].selected | true              |
        | rankings[a].selected | false             |
        | recordLimit          | 2                 |

    # In files there is one channel; in an index the two differ.
    @level:explain
    Scenario: A trace tells how a candidate was found
      Given an empty store
      And these memories are written:
        | key   | content                    | type       |
        | named | What my name was then: Ada | fact       |
        | other | Vim keys, dark theme       | fact       |
        | taste | Green walls, red doors     | preference |
      When "What is my name?" is recalled with:
        | trace | true |
      Then these are found:
        | named |
        | other |
      And the "trace" says:
        | candidateCount          | 2                        |
        | rankings[named].channel | other than type-affinity |
        | rankings[other].channel | other than fts5          |

    @needs:clock @needs:durable
    Scenario: A question of the same things has the same trace
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content                  |
        | daily | The ferry runs daily     |
        | night | The ferry runs nightly   |
        | soup  | Soup runs out on Mondays |
      And "the ferry runs" is recalled with:
        | trace | true |
      And the answer is kept
      When the store is restarted
      And "the ferry runs" is recalled with:
        | trace | true |
      Then the answer equals the kept one
      And the "trace" says:
        | rankings.length | 2 |

    @needs:context @needs:diagnostics
    Scenario: The trace of a context tells its budget
      Given an empty store
      And these memories are written:
        | key  | content                       |
        | long | ferry leaves {3000 times "b"} |
      When the operation "context" is called with:
        | query  | ferry leaves |
        | budget | 1234         |
      Then the "answer" says:
        | text.length | 1234 |
      And the "diagnostics" says:
        | lastTrace.promptCharacterBudget | 1234         |
        | lastTrace.selectedCharacters    | 1234         |
        | lastTrace.selectedIds           | ["key:long"] |
        | lastTrace.truncatedIds          | ["key:long"] |
        | lastTrace.recordLimit           | 8            |

  @req:retrieval-foundation/diagnostics-count-and-never-quote @must @needs:diagnostics
  Rule: Diagnostics count and never quote

    @needs:context
    Scenario: The last injected ids are those of the last context
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
        | soup  | Soup on Mondays      |
      And the operation "context" is called with:
        | query | ferry runs daily |
      When the operation "context" is called with:
        | query | soup on mondays |
      Then the "diagnostics" says:
        | lastInjectedIds | ["key:soup"] |
      When the operation "context" is called with:
        | query | penguin |
      Then the "diagnostics" says:
        | lastInjectedIds | [] |

    @needs:context @needs:clock
    Scenario: What was left out of a context was not injected
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content                | importance |
        | short | ferry leaves at eleven | 0.1        |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      And these memories are written:
        | key   | content                      | importance |
        | large | ferry leaves {283 times "b"} | 0.9        |
      When the operation "context" is called with:
        | query  | ferry leaves       |
        | budget | {kept:text.length} |
      Then the "diagnostics" says:
        | lastInjectedIds | ["key:short"] |

    @needs:context @needs:listing @needs:purpose
    Scenario: A lookup is no injection
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
        | soup  | Soup on Mondays      |
      And the operation "context" is called with:
        | query | ferry runs daily |
      When "soup on mondays" is recalled with:
        | purpose | tool |
      Then these are found:
        | soup |
      And the "diagnostics" says:
        | lastInjectedIds | ["key:ferry"] |
      When the operation "list_records" is called with:
        | access | {} |
      And the operation "get" is called with:
        | id | soup |
      Then the "diagnostics" says:
        | lastInjectedIds | ["key:ferry"] |

    Scenario: A healthy store has no malformed file
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
        | soup  | Soup on Mondays      |
      When "ferry runs daily" is recalled
      Then the "diagnostics" says:
        | records      | 2                   |
        | malformed    | 0                   |
        | index.state  | other than degraded |
        | index.reason | null                |

    @needs:trace
    Scenario: The last trace is that of the last question
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
        | soup  | Soup on Mondays      |
      And "ferry runs daily" is recalled
      When "soup on mondays" is recalled with:
        | trace | true |
      And the answer is kept
      Then the "diagnostics" says:
        | lastTrace.selectedIds | ["key:soup"] |
        | lastTrace             | {kept:trace} |

    @needs:workspaces
    Scenario: Diagnostics show no text
      Given an empty store
      And these memories are written:
        | key | content              | workspace    |
        | m1  | Umbrellas dry slowly | /w/vermilion |
      When "umbrellas dry" is recalled with:
        | workspace | /w/vermilion |
      Then these are found:
        | m1 |
      And the "diagnostics" says:
        | records | 1                 |
        | *       | without mbrella   |
        | *       | without slowly    |
        | *       | without vermilion |

  @req:retrieval-foundation/the-old-gate-is-for-evaluation-only @must @needs:mode
  Rule: The old gate is for evaluation only

    Scenario: The historical gate is refused in production
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled with:
        | mode | historical-v1 |
      Then the call is refused as "invalid"

    Scenario: The current gate may be named anywhere
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled with:
        | mode | foundation-v1 |
      Then these are found:
        | ferry |

    Scenario Outline: A gate that doesn't exist is refused
      Given an empty store with:
        | evaluation | <evaluation> |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled with:
        | mode | foundation-v0 |
      Then the call is refused as "invalid"
      When "ferry runs daily" is recalled with:
        | mode | foundation-v1 |
      Then these are found:
        | ferry |

      Examples:
        | evaluation |
        | true       |
        | false      |

    # The query has 11 tokens, of which the record holds wdaily gdai gail gily: 4 / 11 = 0.364.
    Scenario: An evaluation uses the current gate unless it says otherwise
      Given an empty store with:
        | evaluation | true |
      And these memories are written:
        | key  | content          |
        | soup | Soup comes daily |
      When "ferry runs daily" is recalled
      Then nothing is found
      When "ferry runs daily" is recalled with:
        | mode | foundation-v1 |
      Then nothing is found
      When "ferry runs daily" is recalled with:
        | mode | historical-v1 |
      Then these are found:
        | soup |

    @needs:disable @needs:workspaces
    Scenario: The old gate lets in nothing that was dropped before
      Given an empty store with:
        | evaluation | true |
      And these memories are written:
        | key  | content               | workspace | authority |
        | off  | The ferry runs daily  | /w/red    | reference |
        | next | The ferry runs daily. | /w/blue   | reference |
        | rule | The ferry runs daily! | /w/red    | directive |
        | mill | Flour on Mondays      | /w/red    | reference |
      And the operation "disable" is called with:
        | id        | off    |
        | workspace | /w/red |
      When "ferry runs daily" is recalled with:
        | mode      | historical-v1 |
        | workspace | /w/red        |
      Then nothing is found
