Feature: Foundation eligibility
  What may be ranked at all: scope, then lifecycle, then purpose and filters.

  @req:retrieval-foundation/scope-comes-before-everything @must @needs:workspaces
  Rule: Scope comes before everything

    @needs:trace
    Scenario: Another workspace is only counted
      Given an empty store
      And these memories are written:
        | key  | content                   | workspace |
        | mine | The harbour opens at nine | /w/red    |
        | next | The harbour opens at nine | /w/blue   |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red |
        | trace     | true   |
      Then these are found:
        | mine |
      And the "trace" says:
        | filtered.scope | 1 |

    Scenario: A path in another spelling is the same workspace
      Given an empty store
      And these memories are written:
        | key  | content                   | workspace |
        | mine | The harbour opens at nine | /w/red    |
      When "harbour opens at nine" is recalled with:
        | workspace | /w//blue/../red/ |
      Then these are found:
        | mine |

    @needs:projects
    Scenario: A project record stays in its project
      Given an empty store
      And these memories are written:
        | key   | content                   | scope   | workspace | project    |
        | alpha | The harbour opens at nine | project | /w/red    | /w/red/alpha |
        | beta  | The harbour opens at nine | project | /w/red    | /w/red/beta  |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red       |
        | project   | /w/red/alpha |
      Then these are found:
        | alpha |

    Scenario: A user record is found in every workspace
      Given an empty store
      And these memories are written:
        | key  | content                   | scope |
        | mine | The harbour opens at nine | user  |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red |
      Then "mine" is found
      When "harbour opens at nine" is recalled with:
        | workspace | /w/blue |
      Then "mine" is found

    Scenario: A policy without user scope hides user records
      Given an empty store with:
        | scopes | workspace |
      And these memories are written:
        | key  | content                   | scope |
        | mine | The harbour opens at nine | user  |
      When "harbour opens at nine" is recalled
      Then nothing is found

    Scenario: A record hidden from agents is out of scope
      Given an empty store
      And these memories are written:
        | key    | content                   | scope | agent visible |
        | hidden | The harbour opens at nine | user  | false         |
      When "harbour opens at nine" is recalled with:
        | agent | helper |
      Then nothing is found

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
      When the clock shows "2026-06-01T00:00:01Z"
      And "ferry runs daily" is recalled
      Then nothing is found

    @needs:disable @needs:trace
    Scenario: A disabled record is counted, not ranked
      Given an empty store
      And these memories are written:
        | key | content                |
        | on  | The ferry runs daily   |
        | off | The ferry runs by day  |
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
      And the operation "enable" is called with:
        | id | off |
      And "ferry runs daily" is recalled
      Then these are found:
        | off |

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

  @req:retrieval-foundation/directives-stay-out-of-evidence @must @needs:purpose
  Rule: Directives stay out of evidence

    Scenario: A directive is not injected
      Given an empty store
      And these memories are written:
        | key  | content                   | authority |
        | rule | Answer in short sentences | directive |
        | note | Answer in short sentences | reference |
      When "answer in short sentences" is recalled with:
        | purpose | injection |
      Then these are found:
        | note |

    Scenario: A tool sees the directive
      Given an empty store
      And these memories are written:
        | key  | content                        | authority |
        | rule | Answer in short sentences      | directive |
        | note | Answers come in short sentences | reference |
      When "answer in short sentences" is recalled with:
        | purpose | tool |
      Then these are found:
        | rule |
        | note |

  @req:retrieval-foundation/a-caller-s-filters-narrow-what-is-ranked @must @needs:filters
  Rule: A caller's filters narrow what is ranked

    Scenario: A type filter fills the limit with its type
      Given an empty store
      And these memories are written:
        | key   | content                           | type     |
        | one   | The ferry leaves at six           | fact     |
        | two   | The ferry leaves at ten           | fact     |
        | three | The ferry leaves at two           | fact     |
        | chose | We take the ferry, leaves or rain | decision |
      When "ferry leaves" is recalled with:
        | types | decision |
        | limit | 1        |
      Then these are found:
        | chose |
