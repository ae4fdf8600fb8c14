Feature: Scope is a wall

  Three kinds of place are known: workspaces, projects, namespaces. A store is asked about those
  that it has.

  @req:memory-core/scope-is-a-wall @must
  Rule: Scope is a wall

    @needs:workspaces
    Scenario: A neighbouring workspace stays out
      Given an empty store
      And these memories are written:
        | key    | content                                | scope     | workspace        |
        | ours   | The gate alarm was tested on Monday    | workspace | /srv/teams/birch |
        | theirs | The gate alarm was replaced on Tuesday | workspace | /srv/teams/oak   |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch |
      Then these are found:
        | ours |

    @needs:projects
    Scenario: A neighbouring project stays out
      Given an empty store
      And these memories are written:
        | key    | content                                | scope   | project             | workspace        |
        | ours   | The gate alarm was tested on Monday    | project | /srv/projects/birch | /srv/teams/birch |
        | theirs | The gate alarm was replaced on Tuesday | project | /srv/projects/oak   | /srv/teams/birch |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
      Then these are found:
        | ours |

    @needs:namespaces
    Scenario: A neighbouring namespace stays out
      Given an empty store
      And these memories are written:
        | key    | content                                | namespace |
        | ours   | The gate alarm was tested on Monday    | birch     |
        | theirs | The gate alarm was replaced on Tuesday | oak       |
      When "gate alarm" is recalled with:
        | namespace | birch |
      Then these are found:
        | ours |

    @needs:workspaces
    Scenario: A question in another workspace comes between
      Given an empty store
      And these memories are written:
        | key    | content                                | scope     | workspace        |
        | ours   | The gate alarm was tested on Monday    | workspace | /srv/teams/birch |
        | theirs | The gate alarm was replaced on Tuesday | workspace | /srv/teams/oak   |
      And "gate alarm" is recalled with:
        | workspace | /srv/teams/oak |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch |
      Then these are found:
        | ours |

    @needs:projects
    Scenario: A question in another project comes between
      Given an empty store
      And these memories are written:
        | key    | content                                | scope   | project             | workspace        |
        | ours   | The gate alarm was tested on Monday    | project | /srv/projects/birch | /srv/teams/birch |
        | theirs | The gate alarm was replaced on Tuesday | project | /srv/projects/oak   | /srv/teams/birch |
      And "gate alarm" is recalled with:
        | workspace | /srv/teams/birch  |
        | project   | /srv/projects/oak |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
      Then these are found:
        | ours |

    @needs:namespaces
    Scenario: A question in another namespace comes between
      Given an empty store
      And these memories are written:
        | key    | content                                | namespace |
        | ours   | The gate alarm was tested on Monday    | birch     |
        | theirs | The gate alarm was replaced on Tuesday | oak       |
      And "gate alarm" is recalled with:
        | namespace | oak |
      When "gate alarm" is recalled with:
        | namespace | birch |
      Then these are found:
        | ours |

    @needs:workspaces
    Scenario: A full neighbouring workspace leaves room
      Given an empty store
      And these memories are written:
        | key  | content                                                       | scope     | workspace        |
        | t1   | Gate alarm                                                    | workspace | /srv/teams/oak   |
        | t2   | Gate alarm tests                                              | workspace | /srv/teams/oak   |
        | t3   | The gate alarm rings                                          | workspace | /srv/teams/oak   |
        | t4   | Who hears the gate alarm                                      | workspace | /srv/teams/oak   |
        | t5   | Red gate alarm lamps                                          | workspace | /srv/teams/oak   |
        | t6   | A gate alarm battery                                          | workspace | /srv/teams/oak   |
        | t7   | Gate alarm at noon                                            | workspace | /srv/teams/oak   |
        | ours | Marta asked whether somebody heard the gate alarm last spring | workspace | /srv/teams/birch |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch |
        | limit     | 3                |
      Then these are found:
        | ours |

    @needs:projects
    Scenario: A full neighbouring project leaves room
      Given an empty store
      And these memories are written:
        | key  | content                                                       | scope   | project             | workspace        |
        | t1   | Gate alarm                                                    | project | /srv/projects/oak   | /srv/teams/birch |
        | t2   | Gate alarm tests                                              | project | /srv/projects/oak   | /srv/teams/birch |
        | t3   | The gate alarm rings                                          | project | /srv/projects/oak   | /srv/teams/birch |
        | t4   | Who hears the gate alarm                                      | project | /srv/projects/oak   | /srv/teams/birch |
        | t5   | Red gate alarm lamps                                          | project | /srv/projects/oak   | /srv/teams/birch |
        | t6   | A gate alarm battery                                          | project | /srv/projects/oak   | /srv/teams/birch |
        | t7   | Gate alarm at noon                                            | project | /srv/projects/oak   | /srv/teams/birch |
        | ours | Marta asked whether somebody heard the gate alarm last spring | project | /srv/projects/birch | /srv/teams/birch |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
        | limit     | 3                   |
      Then these are found:
        | ours |

    @needs:namespaces
    Scenario: A full neighbouring namespace leaves room
      Given an empty store
      And these memories are written:
        | key  | content                                                       | namespace |
        | t1   | Gate alarm                                                    | oak       |
        | t2   | Gate alarm tests                                              | oak       |
        | t3   | The gate alarm rings                                          | oak       |
        | t4   | Who hears the gate alarm                                      | oak       |
        | t5   | Red gate alarm lamps                                          | oak       |
        | t6   | A gate alarm battery                                          | oak       |
        | t7   | Gate alarm at noon                                            | oak       |
        | ours | Marta asked whether somebody heard the gate alarm last spring | birch     |
      When "gate alarm" is recalled with:
        | namespace | birch |
        | limit     | 3     |
      Then these are found:
        | ours |

    @needs:workspaces
    Scenario: A question without a workspace stays in the default one
      Given an empty store
      And these memories are written:
        | key    | content                                | scope     | workspace        |
        | common | The gate alarm was tested on Monday    |           |                  |
        | theirs | The gate alarm was replaced on Tuesday | workspace | /srv/teams/birch |
      When "gate alarm" is recalled
      Then these are found:
        | common |

    @needs:projects
    Scenario: A question without a project stays out of every project
      Given an empty store
      And these memories are written:
        | key    | content                                | scope   | project             | workspace        |
        | common | The gate alarm was tested on Monday    |         |                     | /srv/teams/birch |
        | theirs | The gate alarm was replaced on Tuesday | project | /srv/projects/birch | /srv/teams/birch |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch |
      Then these are found:
        | common |

    @needs:namespaces
    Scenario: A question without a namespace stays in the default one
      Given an empty store
      And these memories are written:
        | key    | content                                | namespace |
        | common | The gate alarm was tested on Monday    |           |
        | theirs | The gate alarm was replaced on Tuesday | birch     |
      When "gate alarm" is recalled
      Then these are found:
        | common |

    @needs:workspaces
    Scenario: A memory without a workspace stays in the default one
      Given an empty store
      And these memories are written:
        | key    | content                                | scope     | workspace        |
        | common | The gate alarm was tested on Monday    |           |                  |
        | theirs | The gate alarm was replaced on Tuesday | workspace | /srv/teams/birch |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch |
      Then these are found:
        | theirs |

    @needs:namespaces
    Scenario: A memory without a namespace stays in the default one
      Given an empty store
      And these memories are written:
        | key    | content                                | namespace |
        | common | The gate alarm was tested on Monday    |           |
        | theirs | The gate alarm was replaced on Tuesday | birch     |
      When "gate alarm" is recalled with:
        | namespace | birch |
      Then these are found:
        | theirs |

    @needs:namespaces
    Scenario: The namespace of the store is the default one
      Given an empty store with:
        | namespace | birch |
      And these memories are written:
        | key  | content                             |
        | ours | The gate alarm was tested on Monday |
      When "gate alarm" is recalled
      Then these are found:
        | ours |
      And the "answer" says:
        | namespace | birch |

    @needs:workspaces
    Scenario: No surface shows a neighbouring workspace
      Given an empty store
      And these memories are written:
        | key    | content                                | scope     | workspace        |
        | ours   | The gate alarm was tested on Monday    | workspace | /srv/teams/birch |
        | theirs | The gate alarm was replaced on Tuesday | workspace | /srv/teams/oak   |
      And "gate alarm" is recalled with:
        | workspace | /srv/teams/oak |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch |
      Then "theirs" is seen on no surface with:
        | query     | gate alarm       |
        | workspace | /srv/teams/birch |
      And "ours" is seen on every surface with:
        | query     | gate alarm       |
        | workspace | /srv/teams/birch |

    @needs:projects
    Scenario: No surface shows a neighbouring project
      Given an empty store
      And these memories are written:
        | key    | content                                | scope   | project             | workspace        |
        | ours   | The gate alarm was tested on Monday    | project | /srv/projects/birch | /srv/teams/birch |
        | theirs | The gate alarm was replaced on Tuesday | project | /srv/projects/oak   | /srv/teams/birch |
      And "gate alarm" is recalled with:
        | workspace | /srv/teams/birch  |
        | project   | /srv/projects/oak |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
      Then "theirs" is seen on no surface with:
        | query     | gate alarm          |
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
      And "ours" is seen on every surface with:
        | query     | gate alarm          |
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |

    @needs:namespaces
    Scenario: No surface shows a neighbouring namespace
      Given an empty store
      And these memories are written:
        | key    | content                                | namespace |
        | ours   | The gate alarm was tested on Monday    | birch     |
        | theirs | The gate alarm was replaced on Tuesday | oak       |
      And "gate alarm" is recalled with:
        | namespace | oak |
      When "gate alarm" is recalled with:
        | namespace | birch |
      Then "theirs" is seen on no surface with:
        | query     | gate alarm |
        | namespace | birch      |
      And "ours" is seen on every surface with:
        | query     | gate alarm |
        | namespace | birch      |

    @needs:batch @needs:workspaces
    Scenario: A batch keeps each memory in its workspace
      Given an empty store
      And these memories are written in one batch:
        | key    | content                                | scope     | workspace        |
        | ours   | The gate alarm was tested on Monday    | workspace | /srv/teams/birch |
        | theirs | The gate alarm was replaced on Tuesday | workspace | /srv/teams/oak   |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch |
      Then these are found:
        | ours |

    @needs:batch @needs:namespaces
    Scenario: A batch keeps each memory in its namespace
      Given an empty store
      And these memories are written in one batch:
        | key    | content                                | namespace |
        | ours   | The gate alarm was tested on Monday    | birch     |
        | theirs | The gate alarm was replaced on Tuesday | oak       |
      When "gate alarm" is recalled with:
        | namespace | birch |
      Then these are found:
        | ours |

    @needs:correct @needs:workspaces
    Scenario: A correction stays in its workspace
      Given an empty store
      And these memories are written:
        | key | content                             | scope     | workspace        |
        | old | The gate alarm was tested on Monday | workspace | /srv/teams/birch |
      And the operation "correct" is called with:
        | id        | old                                   |
        | key       | new                                   |
        | content   | The gate alarm was tested on Thursday |
        | workspace | /srv/teams/birch                      |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch |
      Then "old" gives way to "new"
      And "new" is seen on no surface with:
        | query     | gate alarm     |
        | workspace | /srv/teams/oak |

    @needs:correct @needs:projects
    Scenario: A correction stays in its project
      Given an empty store
      And these memories are written:
        | key | content                             | scope   | project             | workspace        |
        | old | The gate alarm was tested on Monday | project | /srv/projects/birch | /srv/teams/birch |
      And the operation "correct" is called with:
        | id        | old                                   |
        | key       | new                                   |
        | content   | The gate alarm was tested on Thursday |
        | workspace | /srv/teams/birch                      |
        | project   | /srv/projects/birch                   |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
      Then "old" gives way to "new"
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch  |
        | project   | /srv/projects/oak |
      Then "new" is not found

    @needs:correct @needs:namespaces
    Scenario: A correction stays in its namespace
      Given an empty store
      And these memories are written:
        | key | content                             | namespace |
        | old | The gate alarm was tested on Monday | birch     |
      And the operation "correct" is called with:
        | id        | old                                   |
        | key       | new                                   |
        | content   | The gate alarm was tested on Thursday |
        | namespace | birch                                 |
      When "gate alarm" is recalled with:
        | namespace | birch |
      Then "old" gives way to "new"
      And "new" is seen on no surface with:
        | query     | gate alarm |
        | namespace | oak        |

    @needs:workspaces
    Scenario: The same text in two workspaces is two memories
      Given an empty store
      And these memories are written:
        | key    | content                             | scope     | workspace        |
        | ours   | The gate alarm was tested on Monday | workspace | /srv/teams/birch |
        | theirs | The gate alarm was tested on Monday | workspace | /srv/teams/oak   |
      And "gate alarm" is recalled with:
        | workspace | /srv/teams/oak |
      When the operation "forget" is called with:
        | id        | theirs         |
        | workspace | /srv/teams/oak |
      Then "theirs" is seen on no surface with:
        | query     | gate alarm     |
        | workspace | /srv/teams/oak |
      And "ours" is seen on every surface with:
        | query     | gate alarm       |
        | workspace | /srv/teams/birch |

    @needs:projects
    Scenario: The same text in two projects is two memories
      Given an empty store
      And these memories are written:
        | key    | content                             | scope   | project             | workspace        |
        | ours   | The gate alarm was tested on Monday | project | /srv/projects/birch | /srv/teams/birch |
        | theirs | The gate alarm was tested on Monday | project | /srv/projects/oak   | /srv/teams/birch |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch  |
        | project   | /srv/projects/oak |
      Then these are found:
        | theirs |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
      Then these are found:
        | ours |

    @needs:namespaces
    Scenario: The same text in two namespaces is two memories
      Given an empty store
      And these memories are written:
        | key    | content                             | namespace |
        | ours   | The gate alarm was tested on Monday | birch     |
        | theirs | The gate alarm was tested on Monday | oak       |
      And "gate alarm" is recalled with:
        | namespace | oak |
      When the operation "forget" is called with:
        | id        | theirs |
        | namespace | oak    |
      Then "theirs" is seen on no surface with:
        | query     | gate alarm |
        | namespace | oak        |
      And "ours" is seen on every surface with:
        | query     | gate alarm |
        | namespace | birch      |

    @needs:workspaces
    Scenario: A neighbouring workspace forgets nothing
      Given an empty store
      And these memories are written:
        | key  | content                             | scope     | workspace        |
        | ours | The gate alarm was tested on Monday | workspace | /srv/teams/birch |
      When the operation "forget" is called with:
        | id        | ours           |
        | workspace | /srv/teams/oak |
      Then the call is refused as "not_found"
      And "ours" is seen on every surface with:
        | query     | gate alarm       |
        | workspace | /srv/teams/birch |
      When the operation "forget" is called with:
        | id        | ours             |
        | workspace | /srv/teams/birch |
      Then "ours" is seen on no surface with:
        | query     | gate alarm       |
        | workspace | /srv/teams/birch |

    @needs:projects
    Scenario: A neighbouring project forgets nothing
      Given an empty store
      And these memories are written:
        | key  | content                             | scope   | project             | workspace        |
        | ours | The gate alarm was tested on Monday | project | /srv/projects/birch | /srv/teams/birch |
      When the operation "forget" is called with:
        | id        | ours              |
        | workspace | /srv/teams/birch  |
        | project   | /srv/projects/oak |
      Then the call is refused as "not_found"
      And "ours" is seen on every surface with:
        | query     | gate alarm          |
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
      When the operation "forget" is called with:
        | id        | ours                |
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |
      Then "ours" is seen on no surface with:
        | query     | gate alarm          |
        | workspace | /srv/teams/birch    |
        | project   | /srv/projects/birch |

    @needs:namespaces
    Scenario: A neighbouring namespace forgets nothing
      Given an empty store
      And these memories are written:
        | key  | content                             | namespace |
        | ours | The gate alarm was tested on Monday | birch     |
      When the operation "forget" is called with:
        | id        | ours |
        | namespace | oak  |
      Then the call is refused as "not_found"
      And "ours" is seen on every surface with:
        | query     | gate alarm |
        | namespace | birch      |
      When the operation "forget" is called with:
        | id        | ours  |
        | namespace | birch |
      Then "ours" is seen on no surface with:
        | query     | gate alarm |
        | namespace | birch      |

    @needs:correct @needs:workspaces
    Scenario: A neighbouring workspace corrects nothing
      Given an empty store
      And these memories are written:
        | key | content                             | scope     | workspace        |
        | old | The gate alarm was tested on Monday | workspace | /srv/teams/birch |
      When the operation "correct" is called with:
        | id        | old                                   |
        | key       | new                                   |
        | content   | The gate alarm was tested on Thursday |
        | workspace | /srv/teams/oak                        |
      Then the call is refused as "not_found"
      And "old" is seen on every surface with:
        | query     | gate alarm       |
        | workspace | /srv/teams/birch |
      When the operation "correct" is called with:
        | id        | old                                   |
        | key       | new                                   |
        | content   | The gate alarm was tested on Thursday |
        | workspace | /srv/teams/birch                      |
      Then "new" is seen on every surface with:
        | query     | gate alarm       |
        | workspace | /srv/teams/birch |

    @needs:correct @needs:namespaces
    Scenario: A neighbouring namespace corrects nothing
      Given an empty store
      And these memories are written:
        | key | content                             | namespace |
        | old | The gate alarm was tested on Monday | birch     |
      When the operation "correct" is called with:
        | id        | old                                   |
        | key       | new                                   |
        | content   | The gate alarm was tested on Thursday |
        | namespace | oak                                   |
      Then the call is refused as "not_found"
      And "old" is seen on every surface with:
        | query     | gate alarm |
        | namespace | birch      |
      When the operation "correct" is called with:
        | id        | old                                   |
        | key       | new                                   |
        | content   | The gate alarm was tested on Thursday |
        | namespace | birch                                 |
      Then "new" is seen on every surface with:
        | query     | gate alarm |
        | namespace | birch      |

    @needs:workspaces
    Scenario: An unused workspace is empty
      Given an empty store
      And these memories are written:
        | key  | content                             | scope     | workspace        |
        | ours | The gate alarm was tested on Monday | workspace | /srv/teams/birch |
      When "gate alarm" is recalled with:
        | workspace | /srv/teams/oak |
      Then nothing is found

    @needs:namespaces
    Scenario: An unused namespace is empty
      Given an empty store
      And these memories are written:
        | key  | content                             | namespace |
        | ours | The gate alarm was tested on Monday | birch     |
      When "gate alarm" is recalled with:
        | namespace | oak |
      Then nothing is found

    @needs:workspaces
    Scenario Outline: Another spelling of a path is the same workspace
      Given an empty store
      And these memories are written:
        | key  | content                             | scope     | workspace |
        | ours | The gate alarm was tested on Monday | workspace | <written> |
      When "gate alarm" is recalled with:
        | workspace | <asked> |
      Then these are found:
        | ours |

      Examples:
        | written                 | asked                   |
        | /srv/teams/birch        | /srv/teams/birch/       |
        | /srv/teams/birch/       | /srv/teams/birch        |
        | /srv/teams/birch        | /srv//teams/birch       |
        | /srv/teams/./birch      | /srv/teams/birch        |
        | /srv/teams/birch        | /srv/teams/oak/../birch |
        | /srv/teams/oak/../birch | /srv/teams/elm/../birch |

    @needs:workspaces
    Scenario Outline: A similar path is another workspace
      Given an empty store
      And these memories are written:
        | key  | content                             | scope     | workspace        |
        | ours | The gate alarm was tested on Monday | workspace | /srv/teams/birch |
      When "gate alarm" is recalled with:
        | workspace | <asked> |
      Then nothing is found

      Examples:
        | asked                  |
        | /srv/teams             |
        | /srv/teams/birch/inner |
        | /srv/teams/birchwood   |
        | /srv/teams/birc        |
        | /srv/teams/birch/../.. |
        | /srv/teams/%           |
        | /srv/teams/*           |
        | /srv/teams/_irch       |
