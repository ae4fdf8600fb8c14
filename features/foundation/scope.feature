Feature: Foundation scope
  Who may see a memory at all. What is out of scope is counted and nothing else.

  @req:retrieval-foundation/scope-comes-before-everything @must @needs:workspaces
  Rule: Scope comes before everything

    @needs:trace @level:explain
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
        | candidateCount | 1 |

    @needs:projects @needs:trace @level:explain
    Scenario: Every foreign record is counted
      Given an empty store
      And these memories are written:
        | key   | content                   | scope     | workspace | project     |
        | mine  | The harbour opens at nine | workspace | /w/red    |             |
        | two   | The harbour opens at ten  | workspace | /w/blue   |             |
        | three | The harbour shuts at six  | workspace | /w/blue   |             |
        | four  | The harbour shuts at two  | project   | /w/red    | /w/red/beta |
      When "tulip" is recalled with:
        | workspace | /w/red |
        | trace     | true   |
      Then nothing is found
      And the "trace" says:
        | filtered.scope | 3 |
        | candidateCount | 0 |

    Scenario: A path in another spelling is the same workspace
      Given an empty store
      And these memories are written:
        | key  | content                   | workspace |
        | mine | The harbour opens at nine | /w/red    |
      When "harbour opens at nine" is recalled with:
        | workspace | /w//blue/../red/ |
      Then these are found:
        | mine |

    Scenario Outline: Every spelling of a path is the same place
      Given an empty store
      And these memories are written:
        | key  | content                   | workspace |
        | mine | The harbour opens at nine | <stored>  |
      When "harbour opens at nine" is recalled with:
        | workspace | <asked> |
      Then these are found:
        | mine |

      Examples:
        | stored         | asked               |
        | /w/red         | /w/red/             |
        | /w/red         | /w/red//            |
        | /w/red         | /w///red            |
        | /w/red         | //w/red             |
        | /w/red         | /w/./red            |
        | /w/red         | /w/red/.            |
        | /w/red         | /./w/red            |
        | /w/red         | /w/red/sub/..       |
        | /w/red         | /w/x/../y/../red    |
        | /w/red         | /../w/red           |
        | /w//red/./     | /w/red              |
        | /w/blue/../red | /w/red              |
        | notes/red      | ./notes/red         |
        | notes/red      | notes//blue/../red/ |
        | 笔记/红        | 笔记/./红/          |

    Scenario Outline: A path that only resembles it is another place
      Given an empty store
      And these memories are written:
        | key  | content                   | workspace |
        | mine | The harbour opens at nine | /w/red    |
      When "harbour opens at nine" is recalled with:
        | workspace | <asked> |
      Then nothing is found
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red |
      Then these are found:
        | mine |

      Examples:
        | asked       |
        | /w          |
        | /           |
        | /w/red/..   |
        | /w/red/sub  |
        | /w/redder   |
        | /w/re       |
        | /red        |
        | /w/blue/red |
        | /w/%        |
        | /w/*        |
        | /w/r_d      |

    @needs:projects
    Scenario: A project record stays in its project
      Given an empty store
      And these memories are written:
        | key   | content                   | scope   | workspace | project      |
        | alpha | The harbour opens at nine | project | /w/red    | /w/red/alpha |
        | beta  | The harbour opens at noon | project | /w/red    | /w/red/beta  |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red       |
        | project   | /w/red/alpha |
      Then these are found:
        | alpha |

    # A limit of 8 is what a caller has who names none; it stands where a row names one place only.
    @needs:projects
    Scenario Outline: A project is the same path wherever it is named
      Given an empty store
      And these memories are written:
        | key   | content                   | scope   | workspace   | project   |
        | alpha | The harbour opens at nine | project | <workspace> | <project> |
      When "harbour opens at nine" is recalled with:
        | <first>  | <here>  |
        | <second> | <there> |
      Then these are found:
        | alpha |

      Examples:
        | workspace    | project      | first     | here         | second  | there            |
        | /w/red       | /w/red/alpha | workspace | /w/red       | project | /w/red/alpha     |
        | /w/red       | /w/red/alpha | workspace | /w/red       | project | /w//red/./alpha/ |
        | /w/red       | /w/red/alpha | workspace | /w/blue      | project | /w/red/alpha     |
        | /w/red       | /w/red/alpha | workspace | /w/red/alpha | limit   | 8                |
        | /w/red/alpha |              | workspace | /w/red       | project | /w/red/alpha     |
        | /w/red       |              | workspace | /w/red       | limit   | 8                |

    @needs:projects
    Scenario Outline: A project record is out of scope for any other path
      Given an empty store
      And these memories are written:
        | key   | content                   | scope   | workspace | project   |
        | alpha | The harbour opens at nine | project | /w/red    | <project> |
      When "harbour opens at nine" is recalled with:
        | <first>  | <here>  |
        | <second> | <there> |
      Then nothing is found

      Examples:
        | project      | first     | here         | second  | there        |
        | /w/red/alpha | workspace | /w/red       | project | /w/red/beta  |
        | /w/red/alpha | workspace | /w/red       | limit   | 8            |
        | /w/red/alpha | workspace | /w/red/alpha | project | /w/red       |
        |              | workspace | /w/red       | project | /w/red/alpha |
        |              | workspace | /w/blue      | limit   | 8            |

    @needs:projects
    Scenario: A project without a workspace opens nothing
      Given an empty store
      And these memories are written:
        | key   | content                    | scope     | workspace | project      |
        | user  | The harbour opens at nine  | user      |           |              |
        | place | The harbour opens at nine. | workspace | /w/red    |              |
        | alpha | The harbour opens at nine! | project   | /w/red    | /w/red/alpha |
        | lone  | The harbour opens at nine? | project   |           | /w/red/alpha |
      When "harbour opens at nine" is recalled with:
        | project | /w/red/alpha |
      Then these are found:
        | user |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red       |
        | project   | /w/red/alpha |
      Then these are found:
        | user  |
        | place |
        | alpha |
        | lone  |

    Scenario: A memory of the default place is not global
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | plain | The harbour opens at nine |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red |
      Then nothing is found
      When "harbour opens at nine" is recalled
      Then these are found:
        | plain |

    Scenario: A memory of a workspace is not in the default place
      Given an empty store
      And these memories are written:
        | key  | content                   | workspace |
        | mine | The harbour opens at nine | /w/red    |
      When "harbour opens at nine" is recalled
      Then nothing is found

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

    @needs:projects @needs:trace @level:explain
    Scenario Outline: A policy hides each scope that it doesn't allow
      Given an empty store with:
        | scopes | <allowed> |
      And these memories are written:
        | key       | content                    | scope     | workspace |
        | user      | The harbour opens at nine  | user      |           |
        | workspace | The harbour opens at nine. | workspace | /w/red    |
        | project   | The harbour opens at nine! | project   | /w/red    |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red |
        | trace     | true   |
      Then these are found:
        | <one> |
        | <two> |
      And the "trace" says:
        | filtered.scope | 1 |

      Examples:
        | allowed            | one       | two       |
        | user, workspace    | user      | workspace |
        | user, project      | user      | project   |
        | workspace, project | workspace | project   |

    @needs:durable
    Scenario: A policy acts at the next retrieval
      Given an empty store
      And these memories are written:
        | key  | content                   | scope |
        | mine | The harbour opens at nine | user  |
      And "harbour opens at nine" is recalled
      When the store is restarted with:
        | scopes | workspace, project |
      And "harbour opens at nine" is recalled
      Then nothing is found
      When the store is restarted with:
        | scopes | user, workspace, project |
      And "harbour opens at nine" is recalled
      Then these are found:
        | mine |

    @needs:trace
    Scenario: A record hidden from agents is out of scope
      Given an empty store
      And these memories are written:
        | key    | content                   | scope | agent visible |
        | hidden | The harbour opens at nine | user  | false         |
      When "harbour opens at nine" is recalled with:
        | agent | helper |
        | trace | true   |
      Then nothing is found
      And the "trace" says:
        | filtered.scope | 1 |

    Scenario: A record visible to agents is found
      Given an empty store
      And these memories are written:
        | key   | content                   | scope | agent visible |
        | shown | The harbour opens at nine | user  | true          |
      When "harbour opens at nine" is recalled with:
        | agent | helper |
      Then these are found:
        | shown |

    @needs:projects @needs:listing
    Scenario: The list stays within the scope
      Given an empty store
      And these memories are written:
        | key  | content                   | scope     | workspace | project     |
        | mine | The harbour opens at nine | workspace | /w/red    |             |
        | next | The harbour opens at ten  | workspace | /w/blue   |             |
        | beta | The harbour opens at two  | project   | /w/red    | /w/red/beta |
        | user | The harbour opens at six  | user      |           |             |
      When the operation "list_records" is called with:
        | workspace | /w/red |
      Then these are found:
        | mine |
        | user |

    @needs:context
    Scenario: The context stays within the scope
      Given an empty store
      And these memories are written:
        | key  | content                   | scope     | workspace |
        | mine | The harbour opens at nine | workspace | /w/red    |
        | next | The harbour opens at ten  | workspace | /w/blue   |
        | user | The harbour opens at six  | user      |           |
      When the operation "context" is called with:
        | query     | the harbour opens |
        | workspace | /w/red            |
      Then the "answer" says:
        | ids.length | 2                                    |
        | text       | containing The harbour opens at nine |
        | text       | containing The harbour opens at six  |
        | text       | without The harbour opens at ten     |

    Scenario: Foreign records take no place in the limit
      Given an empty store
      And these memories are written:
        | key   | content                    | workspace | importance |
        | one   | The harbour opens at nine  | /w/blue   | 1          |
        | two   | The harbour opens at nine. | /w/blue   | 1          |
        | three | The harbour opens at nine! | /w/blue   | 1          |
        | mine  | The harbour opens at noon  | /w/red    | 0          |
      When "harbour opens at nine" is recalled with:
        | workspace | /w/red |
        | limit     | 1      |
      Then these are found:
        | mine |
