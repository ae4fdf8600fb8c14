Feature: Foundation limits and budget
  How much of what is relevant reaches a prompt. The length of a block is the store's own affair, so
  that budgets are counted from the length of a block that was built before.

  @req:retrieval-foundation/the-record-limit-holds @must
  Rule: The record limit holds

    @needs:trace
    Scenario: Eight is the default
      Given an empty store
      And 10 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then the "trace" says:
        | recordLimit            | 8  |
        | candidateCount         | 10 |
        | selectedIds.length     | 8  |
        | excludedByPromptBudget | [] |

    @needs:trace
    Scenario Outline: The smallest limit counts
      Given an empty store with:
        | max injected records | <maximum> |
      And 12 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled with:
        | limit | <limit> |
        | trace | true    |
      Then the "trace" says:
        | recordLimit        | <held> |
        | selectedIds.length | <held> |
        | candidateCount     | 12     |

      Examples:
        | maximum | limit | held |
        | 8       | 20    | 8    |
        | 3       | 5     | 3    |
        | 5       | 3     | 3    |
        | 11      | 100   | 11   |
        | 11      | 1     | 1    |
        | 1       | 8     | 1    |

    @needs:context @needs:diagnostics
    Scenario: No limit and no budget bring more than 64
      Given an empty store with:
        | max injected records | 100 |
      And 70 memories are written like "Ferry (n) runs daily"
      When the operation "context" is called with:
        | query  | ferry runs daily |
        | budget | 100000           |
      Then the "answer" says:
        | ids.length | 64 |
        | cut        | [] |
      And the "diagnostics" says:
        | lastTrace.recordLimit    | 64 |
        | lastTrace.candidateCount | 70 |

    @needs:trace
    Scenario Outline: A caller's limit is held to 64
      Given an empty store with:
        | max injected records | 100 |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled with:
        | limit | <limit> |
        | trace | true    |
      Then the "trace" says:
        | recordLimit | <held> |

      Examples:
        | limit   | held |
        | 63      | 63   |
        | 64      | 64   |
        | 65      | 64   |
        | 1000000 | 64   |

    @needs:durable
    Scenario: A lower maximum acts at once
      Given an empty store
      And 10 memories are written like "Ferry (n) runs daily"
      When the store is restarted with:
        | max injected records | 3 |
      And "ferry runs daily" is recalled
      Then the "answer" says:
        | hits.length | 3 |

    @needs:durable
    Scenario: A higher maximum acts at once
      Given an empty store
      And 10 memories are written like "Ferry (n) runs daily"
      When the store is restarted with:
        | max injected records | 9 |
      And "ferry runs daily" is recalled
      Then the "answer" says:
        | hits.length | 9 |

    Scenario: A caller may ask for fewer
      Given an empty store
      And 10 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled with:
        | limit | 2 |
      Then the "answer" says:
        | hits.length | 2 |

    @needs:trace
    Scenario Outline: A limit of nothing selects nothing
      Given an empty store
      And 3 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled with:
        | limit | <limit> |
        | trace | true    |
      Then nothing is found
      And the "trace" says:
        | recordLimit        | 0  |
        | candidateCount     | 3  |
        | selectedIds        | [] |
        | selectedCharacters | 0  |

      Examples:
        | limit |
        | 0     |
        | -1    |
        | -64   |

    Scenario: A disabled policy selects nothing
      Given an empty store with:
        | enabled | false |
      And 3 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled
      Then nothing is found

    @needs:context @needs:durable
    Scenario: A disabled policy leaves no block
      Given an empty store with:
        | enabled | false |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "context" is called with:
        | query | ferry runs daily |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |
      When the store is restarted with:
        | enabled | true |
      And the operation "context" is called with:
        | query | ferry runs daily |
      Then the "answer" says:
        | ids | ["key:ferry"] |

    @needs:clock
    Scenario: A repeat takes no place in the limit
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content                     | importance |
        | once   | The ferry runs daily        | 0.9        |
        | repeat | The ferry runs daily        | 0.8        |
        | other  | The ferry runs daily in May | 0.1        |
      When "ferry runs daily" is recalled with:
        | limit | 2 |
      Then these are found in order:
        | once  |
        | other |

  @req:retrieval-foundation/the-character-budget-holds @must
  Rule: The character budget holds

    # A letter of the content is a character of the block, so that the longest prefix fills the budget.
    @needs:context
    Scenario Outline: The budget is never exceeded
      Given an empty store
      And these memories are written:
        | key  | content                       |
        | long | ferry leaves {3000 times "b"} |
      When the operation "context" is called with:
        | query  | ferry leaves |
        | budget | <budget>     |
      Then the "answer" says:
        | ids         | []           |
        | cut         | ["key:long"] |
        | text.length | <budget>     |

      Examples:
        | budget |
        | 1000   |
        | 1001   |
        | 2500   |

    @needs:context
    Scenario Outline: Too little room excludes a memory
      Given an empty store
      And these memories are written:
        | key  | content                       |
        | long | ferry leaves {3000 times "b"} |
      When the operation "context" is called with:
        | query  | ferry leaves |
        | budget | <budget>     |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |
        | cut  | [] |

      Examples:
        | budget |
        | 0      |
        | 1      |
        | 95     |
        | 200    |

    @needs:context @needs:diagnostics
    Scenario: The default budget is 6,000 characters
      Given an empty store
      And these memories are written:
        | key  | content                       |
        | long | ferry leaves {9000 times "b"} |
      When the operation "context" is called with:
        | query | ferry leaves |
      Then the "answer" says:
        | cut         | ["key:long"] |
        | text.length | 6000         |
      And the "diagnostics" says:
        | lastTrace.promptCharacterBudget | 6000 |
        | lastTrace.selectedCharacters    | 6000 |

    @needs:trace
    Scenario: A recall is held to 6,000 characters
      Given an empty store
      And these memories are written:
        | key  | content                                       |
        | long | ferry leaves {4000 times "b"}{5000 times "c"} |
      When "ferry leaves" is recalled with:
        | trace | true |
      Then these are found:
        | long |
      And the "hit long" says:
        | content        | a start of ferry leaves {4000 times "b"}{5000 times "c"} |
        | content.length | at least 4500                                            |
        | content.length | at most 5999                                             |
      And the "trace" says:
        | truncatedIds           | ["key:long"] |
        | selectedIds            | ["key:long"] |
        | excludedByPromptBudget | []           |
        | selectedCharacters     | 6000         |

    @needs:context
    Scenario: A budget of just the block leaves it whole
      Given an empty store
      And these memories are written:
        | key  | content                      |
        | long | ferry leaves {283 times "b"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves       |
        | budget | {kept:text.length} |
      Then the "answer" says:
        | ids  | ["key:long"] |
        | cut  | []           |
        | text | {kept:text}  |

    @needs:context
    Scenario: A budget one short cuts
      Given an empty store
      And these memories are written:
        | key  | content                      |
        | long | ferry leaves {283 times "b"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves           |
        | budget | {kept:text.length - 1} |
      Then the "answer" says:
        | ids         | []                     |
        | cut         | ["key:long"]           |
        | text.length | {kept:text.length - 1} |

    # 13 + 227 = 240 characters are before the c.
    @needs:context
    Scenario Outline: A cut content is a start of the stored one
      Given an empty store
      And these memories are written:
        | key  | content                                     |
        | long | ferry leaves {227 times "b"}c{55 times "d"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves                |
        | budget | {kept:text.length - <less>} |
      Then the "answer" says:
        | cut         | ["key:long"]                         |
        | text.length | {kept:text.length - <less>}          |
        | text        | <there> ferry leaves {227 times "b"} |
        | text        | <next> {227 times "b"}c              |
        | text        | without {227 times "b"}cd            |

      Examples:
        | less | there      | next       |
        | 56   | containing | without    |
        | 55   | containing | containing |

    # 13 + 283 = 296; without 200 of them 96 are left.
    @needs:context @needs:diagnostics
    Scenario: Exactly 96 characters are kept
      Given an empty store
      And these memories are written:
        | key  | content                      |
        | long | ferry leaves {283 times "b"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves             |
        | budget | {kept:text.length - 200} |
      Then the "answer" says:
        | cut         | ["key:long"]                           |
        | text.length | {kept:text.length - 200}               |
        | text        | containing ferry leaves {83 times "b"} |
        | text        | without {84 times "b"}                 |
      And the "diagnostics" says:
        | lastTrace.truncatedIds           | ["key:long"] |
        | lastTrace.excludedByPromptBudget | []           |

    @needs:context @needs:diagnostics
    Scenario: 95 characters are too few
      Given an empty store
      And these memories are written:
        | key  | content                      |
        | long | ferry leaves {283 times "b"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves             |
        | budget | {kept:text.length - 201} |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |
        | cut  | [] |
      And the "diagnostics" says:
        | lastTrace.truncatedIds           | []           |
        | lastTrace.excludedByPromptBudget | ["key:long"] |
        | lastTrace.selectedCharacters     | 0            |

    # 13 + 83 = 96; 95 would be left.
    @needs:context
    Scenario: A short memory is whole or out
      Given an empty store
      And these memories are written:
        | key   | content                     |
        | short | ferry leaves {83 times "b"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves           |
        | budget | {kept:text.length - 1} |
      Then the "answer" says:
        | text | "" |
      When the operation "context" is called with:
        | query  | ferry leaves       |
        | budget | {kept:text.length} |
      Then the "answer" says:
        | ids | ["key:short"] |

    # The short content has 22 characters, so that no more than about as many of the long one have room.
    @needs:context @needs:clock @needs:diagnostics
    Scenario: What doesn't fit makes room for what does
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
      Then the "answer" says:
        | ids  | ["key:short"] |
        | cut  | []            |
        | text | {kept:text}   |
      And the "diagnostics" says:
        | lastTrace.selectedIds              | ["key:short"] |
        | lastTrace.excludedByPromptBudget   | ["key:large"] |
        | lastTrace.truncatedIds             | []            |
        | lastTrace.rankings[large].selected | false         |
        | lastTrace.rankings[short].selected | true          |

    # Both contents have 296 characters; without 100 of the second 196 are left, without 201 of it 95.
    @needs:context @needs:clock
    Scenario: The budget is spent from the best down
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key      | content                      | importance |
        | a-second | ferry leaves {283 times "b"} | 0.1        |
        | b-first  | ferry leaves {283 times "c"} | 0.9        |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves             |
        | budget | {kept:text.length - 100} |
      Then the "answer" says:
        | ids         | ["key:b-first"]                         |
        | cut         | ["key:a-second"]                        |
        | text.length | {kept:text.length - 100}                |
        | text        | containing ferry leaves {183 times "b"} |
        | text        | without {184 times "b"}                 |
      When the operation "context" is called with:
        | query  | ferry leaves             |
        | budget | {kept:text.length - 201} |
      Then the "answer" says:
        | ids | ["key:b-first"] |
        | cut | []              |

    # 13 + 87 = 100 letters, 50 spaces, 100 letters; without 120 of them 30 spaces would be left, so that
    # the content has 100 characters, 150 less than it had.
    @needs:context
    Scenario: Space at the end of a cut is left out
      Given an empty store
      And these memories are written:
        | key | content                                                  |
        | gap | ferry leaves {87 times "b"}{50 times " "}{100 times "c"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves             |
        | budget | {kept:text.length - 120} |
      Then the "answer" says:
        | cut         | ["key:gap"]              |
        | text.length | {kept:text.length - 150} |

    @needs:context
    Scenario: Space at the beginning of a cut stays
      Given an empty store
      And these memories are written:
        | key  | content                            |
        | long | "    ferry leaves {283 times "b"}" |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves             |
        | budget | {kept:text.length - 100} |
      Then the "answer" says:
        | cut         | ["key:long"]                                  |
        | text.length | {kept:text.length - 100}                      |
        | text        | containing "    ferry leaves {183 times "b"}" |

    @needs:context
    Scenario Outline: Without the space at its end a cut may be too short
      Given an empty store
      And these memories are written:
        | key | content                                                         |
        | gap | ferry leaves {<letters> times "b"}{50 times " "}{100 times "c"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves             |
        | budget | {kept:text.length - 120} |
      Then the "answer" says:
        | cut | <cut> |
        | ids | []    |

      Examples:
        | letters | cut         |
        | 83      | ["key:gap"] |
        | 82      | []          |

    @needs:context
    Scenario Outline: An escaped character counts as it is written
      Given an empty store
      And these memories are written:
        | key  | content                      |
        | long | ferry leaves {500 times "<"} |
      When the operation "context" is called with:
        | query  | ferry leaves |
        | budget | <budget>     |
      Then the "answer" says:
        | cut         | ["key:long"]     |
        | text.length | at most <budget> |
        | text.length | at least <least> |

      Examples:
        | budget | least |
        | 1500   | 1495  |
        | 1501   | 1496  |
        | 1502   | 1497  |

    @needs:context
    Scenario: An astral character counts by the declared unit
      Given an empty store
      And these memories are written:
        | key   | content                       |
        | ships | ferry leaves {683 times "🚢"} |
      And the operation "context" is called with:
        | query | ferry leaves |
      And the answer is kept
      When the operation "context" is called with:
        | query  | ferry leaves             |
        | budget | {kept:text.length - 200} |
      Then the "answer" says:
        | cut         | ["key:ships"]                                                                             |
        | ids         | []                                                                                        |
        | text.length | by budgetUnit: codepoint {kept:text.length - 200}, utf16 at most {kept:text.length - 200} |

    @needs:trace @needs:confidence
    Scenario: A repeat is left out
      Given an empty store
      And these memories are written:
        | key    | content                  | confidence |
        | once   | The ferry runs daily     | 1          |
        | repeat | " THE FERRY RUNS DAILY " | 0.5        |
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then these are found:
        | once |
      And the "trace" says:
        | excludedByPromptBudget | ["key:repeat"] |

    @needs:confidence @needs:trace
    Scenario Outline: Every spelling of a content is a repeat
      Given an empty store
      And these memories are written:
        | key    | content   | confidence |
        | once   | <content> | 1          |
        | repeat | <again>   | 0.5        |
      When "<query>" is recalled with:
        | trace | true |
      Then these are found:
        | once |
      And the "trace" says:
        | candidateCount         | by duplicates: none 2              |
        | excludedByPromptBudget | by duplicates: none ["key:repeat"] |

      Examples:
        | content    | again               | query      |
        | Café daily | Café daily          | café daily |
        | Café daily | "Cafe\\u0301 daily" | café daily |
        | Café daily | CAFÉ Daily          | café daily |
        | Café daily | "\\n Café daily\\t" | café daily |
        | Cafe no 5  | Ｃａｆｅ　ｎｏ　５  | cafe no 5  |
        | fine café  | ﬁne café            | fine café  |
        | ガイド     | ｶﾞｲﾄﾞ               | ガイド     |

    @needs:confidence @needs:trace
    Scenario Outline: What differs otherwise is no repeat
      Given an empty store
      And these memories are written:
        | key   | content    | confidence |
        | once  | Café daily | 1          |
        | other | <other>    | 0.5        |
      When "café daily" is recalled with:
        | trace | true |
      Then these are found in order:
        | once  |
        | other |
      And the "trace" says:
        | excludedByPromptBudget | [] |

      Examples:
        | other         |
        | Café daily.   |
        | Cafe daily    |
        | "Café  daily" |
        | Café, daily   |

    @needs:confidence @needs:trace
    Scenario: A repeat of a cut memory is left out
      Given an empty store
      And these memories are written:
        | key    | content                       | confidence |
        | once   | ferry leaves {9000 times "b"} | 1          |
        | repeat | ferry leaves {9000 times "b"} | 0.5        |
      When "ferry leaves" is recalled with:
        | trace | true |
      Then these are found:
        | once |
      And the "trace" says:
        | truncatedIds           | ["key:once"]                       |
        | excludedByPromptBudget | by duplicates: none ["key:repeat"] |

    @needs:trace
    Scenario: At most 64 exclusions are listed
      Given an empty store
      And 70 memories are written like "The ferry runs daily"
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then the "answer" says:
        | hits.length | 1 |
      And the "trace" says:
        | candidateCount                | by duplicates: none 70 |
        | excludedByPromptBudget.length | by duplicates: none 64 |
