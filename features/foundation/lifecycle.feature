Feature: Foundation lifecycle
  What is still true, and not yet replaced. What is inactive is counted and nothing else.

  @req:retrieval-foundation/lifecycle-comes-before-ranking @must
  Rule: Lifecycle comes before ranking

    @needs:validity @needs:clock
    Scenario: A record is found up to the last millisecond of its validity
      Given an empty store with:
        | clock | 2026-05-31T23:59:59.999Z |
      And these memories are written:
        | key    | content              | valid to             |
        | spring | The ferry runs daily | 2026-06-01T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found:
        | spring |

    @needs:validity @needs:clock
    Scenario: A record is expired at the instant that ends it
      Given an empty store with:
        | clock | 2026-05-31T23:59:59.999Z |
      And these memories are written:
        | key    | content              | valid to             |
        | spring | The ferry runs daily | 2026-06-01T00:00:00Z |
      When the clock shows "2026-06-01T00:00:00.000Z"
      And "ferry runs daily" is recalled
      Then nothing is found
      And the "record spring" says:
        | state | expired |

    @needs:validity @needs:clock
    Scenario: An expiry ends a record at its instant
      Given an empty store with:
        | clock | 2026-05-31T23:59:59.999Z |
      And these memories are written:
        | key    | content              | expires at           |
        | spring | The ferry runs daily | 2026-06-01T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found:
        | spring |
      When the clock shows "2026-06-01T00:00:00.000Z"
      And "ferry runs daily" is recalled
      Then nothing is found
      And the "record spring" says:
        | state | expired |

    @needs:validity @needs:clock
    Scenario Outline: The earlier of two ends counts
      Given an empty store with:
        | clock | 2026-05-31T23:59:59.999Z |
      And these memories are written:
        | key    | content              | valid to   | expires at |
        | spring | The ferry runs daily | <validity> | <expiry>   |
      When "ferry runs daily" is recalled
      Then these are found:
        | spring |
      When the clock shows "2026-06-01T00:00:00Z"
      And "ferry runs daily" is recalled
      Then nothing is found

      Examples:
        | validity             | expiry               |
        | 2026-06-01T00:00:00Z | 2026-06-02T00:00:00Z |
        | 2026-06-02T00:00:00Z | 2026-06-01T00:00:00Z |

    @needs:validity @needs:clock
    Scenario: A record is valid at the instant that begins it
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key    | content              | valid from           |
        | summer | The ferry runs daily | 2026-06-01T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found:
        | summer |

    @needs:validity @needs:clock
    Scenario: A record is not yet valid one millisecond earlier
      Given an empty store with:
        | clock | 2026-05-31T23:59:59.999Z |
      And these memories are written:
        | key    | content              | valid from           |
        | summer | The ferry runs daily | 2026-06-01T00:00:00Z |
      When "ferry runs daily" is recalled
      Then nothing is found
      And the "record summer" says:
        | state | not-yet-valid |

    @needs:validity @needs:clock
    Scenario: A lifetime ends a record
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key   | content              | ttl ms |
        | brief | The ferry runs daily | 1000   |
      When the clock shows "2026-06-01T00:00:00.999Z"
      And "ferry runs daily" is recalled
      Then these are found:
        | brief |
      When the clock shows "2026-06-01T00:00:01Z"
      And "ferry runs daily" is recalled
      Then nothing is found

    @needs:validity @needs:clock
    Scenario: Validity follows the clock both ways
      Given an empty store with:
        | clock | 2026-06-01T12:00:00Z |
      And these memories are written:
        | key | content              | valid from           | valid to             |
        | day | The ferry runs daily | 2026-06-01T00:00:00Z | 2026-06-02T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found:
        | day |
      When the clock shows "2026-06-02T12:00:00Z"
      And "ferry runs daily" is recalled
      Then nothing is found
      When the clock shows "2026-06-01T12:00:00Z"
      And "ferry runs daily" is recalled
      Then these are found:
        | day |
      When the clock shows "2026-05-31T12:00:00Z"
      And "ferry runs daily" is recalled
      Then nothing is found
      When the clock shows "2026-06-01T12:00:00Z"
      And "ferry runs daily" is recalled
      Then these are found:
        | day |

    @needs:disable @needs:trace @level:explain
    Scenario: A disabled record is counted, not ranked
      Given an empty store
      And these memories are written:
        | key | content               |
        | on  | The ferry runs daily  |
        | off | The ferry runs by day |
      When the operation "disable" is called with:
        | id | off |
      And "ferry runs" is recalled with:
        | trace | true |
      Then these are found:
        | on |
      And the "trace" says:
        | filtered.lifecycle | 1 |
        | candidateCount     | 1 |

    @needs:disable
    Scenario: An enabled record is found again
      Given an empty store
      And these memories are written:
        | key | content              |
        | off | The ferry runs daily |
      When the operation "disable" is called with:
        | id | off |
      And "ferry runs daily" is recalled
      Then nothing is found
      When the operation "enable" is called with:
        | id | off |
      And "ferry runs daily" is recalled
      Then these are found:
        | off |

    # In scope are eight: six inactive ones, the active one, and the successor of the old one.
    @needs:disable @needs:validity @needs:clock @needs:trace @level:explain
    Scenario: Every inactive state is counted
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key  | content                | supersedes | valid from               | valid to             | expires at           |
        | on   | The ferry runs daily   |            |                          |                      |                      |
        | gone | The ferry runs at one  |            |                          |                      |                      |
        | off  | The ferry runs at two  |            |                          |                      |                      |
        | old  | The ferry runs at four |            |                          |                      |                      |
        | new  | The ferry runs at five | old        |                          |                      |                      |
        | soon | The ferry runs at six  |            | 2026-06-01T00:00:00.001Z |                      |                      |
        | past | The ferry runs at nine |            |                          | 2026-06-01T00:00:00Z |                      |
        | over | The ferry runs at ten  |            |                          |                      | 2026-06-01T00:00:00Z |
      And "gone" is forgotten
      And the operation "disable" is called with:
        | id | off |
      When "the ferry runs" is recalled with:
        | trace | true |
      Then these are found:
        | on  |
        | new |
      And the "trace" says:
        | filtered.lifecycle  | 6 |
        | filtered.irrelevant | 0 |
        | candidateCount      | 2 |

    @needs:disable @needs:validity @needs:clock
    Scenario Outline: The first state that applies names a record
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key | content              | valid from | valid to | expires at |
        | off | The ferry runs daily | <from>     | <to>     | <expiry>   |
      When the operation "disable" is called with:
        | id | off |
      Then the "record off" says:
        | state | disabled |
      When the operation "enable" is called with:
        | id | off |
      Then the "record off" says:
        | state | <else> |

      Examples:
        | from                 | to                   | expiry               | else          |
        |                      | 2026-06-01T00:00:00Z |                      | expired       |
        |                      |                      | 2026-06-01T00:00:00Z | expired       |
        | 2026-07-01T00:00:00Z |                      |                      | not-yet-valid |
        |                      |                      |                      | active        |

    @needs:disable
    Scenario: Forgotten comes before disabled
      Given an empty store
      And these memories are written:
        | key | content              |
        | off | The ferry runs daily |
      And the operation "disable" is called with:
        | id | off |
      When "off" is forgotten
      Then the "record off" says:
        | state | forgotten |

    @needs:disable @needs:supersede
    Scenario: Disabled comes before superseded
      Given an empty store
      And these memories are written:
        | key | content                 |
        | old | The ferry leaves at six |
        | new | The ferry leaves at ten |
      And the operation "supersede" is called with:
        | id | old |
        | by | new |
      When the operation "disable" is called with:
        | id | old |
      Then the "record old" says:
        | state | disabled |
      When the operation "enable" is called with:
        | id | old |
      Then the "record old" says:
        | state | superseded |

    @needs:supersede @needs:validity @needs:clock
    Scenario Outline: Superseded comes before validity
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key | content                 | valid from | expires at |
        | old | The ferry leaves at six | <from>     | <expiry>   |
        | new | The ferry leaves at ten |            |            |
      When the operation "supersede" is called with:
        | id | old |
        | by | new |
      Then the "record old" says:
        | state | superseded |

      Examples:
        | from                 | expiry               |
        |                      | 2026-06-01T00:00:00Z |
        | 2026-07-01T00:00:00Z |                      |

    @needs:validity @needs:clock
    Scenario: Not yet valid comes before expired
      Given an empty store with:
        | clock | 2026-06-15T00:00:00Z |
      And these memories are written:
        | key | content              | valid from           | expires at           |
        | odd | The ferry runs daily | 2026-07-01T00:00:00Z | 2026-06-01T00:00:00Z |
      When "ferry runs daily" is recalled
      Then the "record odd" says:
        | state | not-yet-valid |
      When the clock shows "2026-07-01T00:00:00Z"
      Then the "record odd" says:
        | state | expired |

    @needs:disable
    Scenario: An inactive record takes no place in the limit
      Given an empty store
      And these memories are written:
        | key | content               |
        | off | The ferry runs daily  |
        | on  | The ferry runs at six |
      And the operation "disable" is called with:
        | id | off |
      When "ferry runs daily" is recalled with:
        | limit | 1 |
      Then these are found:
        | on |

    @needs:validity @needs:clock
    Scenario Outline: An inactive record shows on no surface
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      When these memories are written:
        | key | content              | valid from | valid to | expires at |
        | odd | The ferry runs daily | <from>     | <to>     | <expiry>   |
      Then "odd" is seen on no surface with:
        | query | ferry runs daily |

      Examples:
        | from                     | to                   | expiry               |
        | 2026-06-01T00:00:00.001Z |                      |                      |
        |                          | 2026-06-01T00:00:00Z |                      |
        |                          |                      | 2026-06-01T00:00:00Z |

    @needs:validity @needs:clock
    Scenario: A valid record shows on every surface
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      When these memories are written:
        | key  | content              | valid from           | valid to                 | expires at               |
        | good | The ferry runs daily | 2026-06-01T00:00:00Z | 2026-06-01T00:00:00.001Z | 2026-06-01T00:00:00.001Z |
      Then "good" is seen on every surface with:
        | query | ferry runs daily |

    @needs:disable
    Scenario: A disabled record shows on no surface
      Given an empty store
      And these memories are written:
        | key | content              |
        | off | The ferry runs daily |
      When the operation "disable" is called with:
        | id | off |
      Then "off" is seen on no surface with:
        | query | ferry runs daily |
      When the operation "enable" is called with:
        | id | off |
      Then "off" is seen on every surface with:
        | query | ferry runs daily |

    @needs:listing @needs:disable @needs:validity @needs:clock
    Scenario: The list is what is active
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key  | content                | authority | supersedes | valid from           | expires at           |
        | on   | The ferry runs daily   |           |            |                      |                      |
        | rule | Always name the quay   | directive |            |                      |                      |
        | gone | The ferry runs at one  |           |            |                      |                      |
        | off  | The ferry runs at two  |           |            |                      |                      |
        | old  | The ferry runs at four |           |            |                      |                      |
        | new  | The ferry runs at five |           | old        |                      |                      |
        | soon | The ferry runs at six  |           |            | 2026-07-01T00:00:00Z |                      |
        | over | The ferry runs at ten  |           |            |                      | 2026-06-01T00:00:00Z |
      And "gone" is forgotten
      And the operation "disable" is called with:
        | id | off |
      When the operation "list_records" is called with:
        | access | {} |
      Then these are found:
        | on   |
        | rule |
        | new  |

  @req:retrieval-foundation/a-successor-silences-what-it-supersedes @must
  Rule: A successor silences what it supersedes

    Scenario: Of a chain only the newest is found
      Given an empty store
      And these memories are written:
        | key    | content                 | supersedes |
        | first  | The ferry leaves at six |            |
        | second | The ferry leaves at ten | first      |
        | third  | The ferry leaves at two | second     |
      When "ferry leaves at" is recalled
      Then these are found:
        | third |

    @needs:disable
    Scenario: A link that is disabled holds nothing
      Given an empty store
      And these memories are written:
        | key    | content                 | supersedes |
        | first  | The ferry leaves at six |            |
        | second | The ferry leaves at ten | first      |
        | third  | The ferry leaves at two | second     |
      And the operation "disable" is called with:
        | id | second |
      When "ferry leaves at" is recalled
      Then these are found:
        | first |
        | third |

    @needs:validity @needs:clock
    Scenario: A successor that is not yet valid silences nothing
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key      | content                 | supersedes | valid from           |
        | today    | The ferry leaves at six |            |                      |
        | tomorrow | The ferry leaves at ten | today      | 2026-06-02T00:00:00Z |
      When "ferry leaves at" is recalled
      Then these are found:
        | today |
      When the clock shows "2026-06-02T00:00:00Z"
      And "ferry leaves at" is recalled
      Then these are found:
        | tomorrow |

    @needs:validity @needs:clock
    Scenario: A successor that has expired silences nothing
      Given an empty store with:
        | clock | 2026-06-01T23:59:59.999Z |
      And these memories are written:
        | key   | content                 | supersedes | expires at           |
        | usual | The ferry leaves at six |            |                      |
        | fair  | The ferry leaves at ten | usual      | 2026-06-02T00:00:00Z |
      When "ferry leaves at" is recalled
      Then these are found:
        | fair |
      When the clock shows "2026-06-02T00:00:00Z"
      And "ferry leaves at" is recalled
      Then these are found:
        | usual |

    @needs:disable
    Scenario: A successor that is disabled silences nothing
      Given an empty store
      And these memories are written:
        | key | content                 | supersedes |
        | old | The ferry leaves at six |            |
        | new | The ferry leaves at ten | old        |
      When the operation "disable" is called with:
        | id | new |
      And "ferry leaves at" is recalled
      Then these are found:
        | old |
      When the operation "enable" is called with:
        | id | new |
      And "ferry leaves at" is recalled
      Then these are found:
        | new |

    @needs:workspaces
    Scenario: A successor in another workspace silences nothing
      Given an empty store
      And these memories are written:
        | key    | content                 | scope     | workspace | supersedes |
        | mine   | The ferry leaves at six | user      |           |            |
        | theirs | The ferry leaves at ten | workspace | /w/blue   | mine       |
      When "ferry leaves at" is recalled with:
        | workspace | /w/red |
      Then these are found:
        | mine |
      When "ferry leaves at" is recalled with:
        | workspace | /w/blue |
      Then these are found:
        | theirs |

    @needs:purpose @needs:filters
    Scenario: A successor that a later stage leaves out silences all the same
      Given an empty store
      And these memories are written:
        | key   | content                        | type     | authority | supersedes |
        | quay  | The ferry leaves from quay two | fact     | reference |            |
        | rule  | The ferry leaves from quay six | fact     | directive | quay       |
        | time  | The ferry leaves at six        | fact     | reference |            |
        | chose | The ferry leaves at ten        | decision | reference | time       |
      When "ferry leaves" is recalled with:
        | types   | fact      |
        | purpose | injection |
      Then nothing is found

    Scenario: What was never superseded stays beside what was
      Given an empty store
      And these memories are written:
        | key  | content                        | supersedes |
        | time | The ferry leaves at six        |            |
        | quay | The ferry leaves from quay two |            |
        | new  | The ferry leaves at ten        | time       |
      When "ferry leaves" is recalled
      Then these are found:
        | quay |
        | new  |

    Scenario: A superseded record shows on no surface
      Given an empty store
      When these memories are written:
        | key | content                 | supersedes |
        | old | The ferry leaves at six |            |
        | new | The ferry leaves at ten | old        |
      Then "old" is seen on no surface with:
        | query | ferry leaves at |
      And "new" is seen on every surface with:
        | query | ferry leaves at |

    @needs:supersede
    Scenario: A superseded record names its successor
      Given an empty store
      And these memories are written:
        | key | content                 |
        | old | The ferry leaves at six |
        | new | The ferry leaves at ten |
      When the operation "supersede" is called with:
        | id | old |
        | by | new |
      Then the "record old" says:
        | state        | superseded |
        | supersededBy | key:new    |
      When "ferry leaves at" is recalled
      Then these are found:
        | new |
