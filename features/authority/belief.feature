Feature: Belief and recall
  How far a claim is believed, who may move that, and what recall makes of it.

  @req:claim-authority/belief-starts-by-origin-and-moves-by-feedback @must
  Rule: Belief starts by origin and moves by feedback

    @needs:authority
    Scenario: What somebody said is believed at first
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | origin              | explicit    |
        | belief.alpha        | 6           |
        | belief.beta         | 1           |
        | belief.harmfulCount | 0           |
        | belief.score        | 0.857142857 |
        | evidence            | []          |

    @needs:authority
    Scenario: What was guessed is believed less
      Given an empty store
      And these memories are written:
        | key   | content              | sources                                 |
        | ferry | The ferry runs daily | [{"kind": "user", "trust": "inferred"}] |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | origin       | heuristic   |
        | belief.alpha | 4           |
        | belief.beta  | 2           |
        | belief.score | 0.666666667 |

    @needs:authority
    Scenario Outline: Each report moves the belief
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "feedback" is called with:
        | id      | ferry     |
        | outcome | <outcome> |
      Then the "answer" says:
        | belief.alpha        | <alpha> |
        | belief.beta         | <beta>  |
        | belief.harmfulCount | <harm>  |
        | belief.score        | <score> |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | belief.alpha           | <alpha>   |
        | belief.beta            | <beta>    |
        | belief.harmfulCount    | <harm>    |
        | evidence.length        | 1         |
        | evidence[0].outcome    | <outcome> |
        | consumption[0].outcome | <outcome> |

      Examples:
        | outcome  | alpha | beta | harm | score       |
        | helped   | 7     | 1    | 0    | 0.875       |
        | harmful  | 6     | 6    | 1    | 0.5         |
        | stale    | 6     | 3    | 0    | 0.666666667 |
        | conflict | 6     | 5    | 0    | 0.545454545 |

    @needs:authority
    Scenario: An unknown outcome moves nothing
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "feedback" is called with:
        | id      | ferry           |
        | outcome | unknown         |
        | note    | Nobody answered |
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | belief.alpha           | 6               |
        | belief.beta            | 1               |
        | belief.harmfulCount    | 0               |
        | evidence               | []              |
        | consumption.length     | 1               |
        | consumption[0].outcome | unknown         |
        | consumption[0].note    | Nobody answered |

    @needs:authority
    Scenario: Two reports of harm add up
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      And the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      Then the "answer" says:
        | belief.alpha        | 6           |
        | belief.beta         | 11          |
        | belief.harmfulCount | 2           |
        | belief.score        | 0.352941176 |

    @needs:authority
    Scenario: Five reports of help do not outweigh one of harm
      Given an empty store
      And these memories are written:
        | key   | content              | type       |
        | ferry | The ferry runs daily | preference |
      When the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      And the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      And the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      And the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      And the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      And the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      Then the "answer" says:
        | belief.alpha | 11          |
        | belief.beta  | 6           |
        | belief.score | 0.647058824 |
      When "ferry runs daily" is recalled
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].action  | verify                         |
        | decisions[0].reasons | ["belief_below_use_threshold"] |

    @needs:authority
    Scenario Outline: Only a person's report counts
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "feedback" is called with:
        | id      | ferry    |
        | outcome | helped   |
        | source  | <source> |
      Then the call is refused as "invalid"
      When the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
        | source  | user   |
      Then the "answer" says:
        | belief.alpha | 7 |

      Examples:
        | source    |
        | assistant |
        | tool      |
        | plugin    |

    @needs:authority
    Scenario: A report on a forgotten claim is refused
      Given an empty store
      And these memories are written:
        | key   | content                  |
        | ferry | The ferry runs daily     |
        | crane | The crane is being oiled |
      And "ferry" is forgotten
      When the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      Then the call is refused as "conflict"
      When the operation "feedback" is called with:
        | id      | crane  |
        | outcome | helped |
      Then the "answer" says:
        | belief.alpha | 7 |

    @needs:authority @needs:correct
    Scenario: A report on a superseded claim is refused
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "correct" is called with:
        | id      | ferry                 |
        | content | The ferry runs hourly |
        | key     | hourly                |
      When the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      Then the call is refused as "conflict"
      When the operation "feedback" is called with:
        | id      | hourly |
        | outcome | helped |
      Then the "answer" says:
        | belief.alpha | 7 |

    @needs:authority @needs:workspaces
    Scenario: A report from another place finds no claim
      Given an empty store
      And these memories are written:
        | key   | content              | workspace |
        | ferry | The ferry runs daily | /w/red    |
      When the operation "feedback" is called with:
        | id        | ferry   |
        | outcome   | harmful |
        | workspace | /w/blue |
      Then the call is refused as "not_found"
      When the operation "feedback" is called with:
        | id        | ferry  |
        | outcome   | helped |
        | workspace | /w/red |
      Then the "answer" says:
        | belief.alpha | 7 |
        | belief.beta  | 1 |

    @needs:authority
    Scenario: A report with an unknown word is refused
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "feedback" is called with:
        | id      | ferry     |
        | outcome | excellent |
      Then the call is refused as "invalid"
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | belief.alpha | 6  |
        | consumption  | [] |

    @needs:authority @needs:clock
    Scenario: A report leaves the dates alone
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the clock shows "2026-04-11T00:00:00Z"
      And the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      Then the "record ferry" says:
        | times.updatedAt | 2026-01-01T00:00:00.000Z |

  @req:claim-authority/recall-decides-before-it-answers @must
  Rule: Recall decides before it answers

    # .20 + .3 / 7 = .242857143.
    @needs:authority @needs:clock @level:explain
    Scenario: A plain claim may be used
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled
      Then these are found:
        | ferry |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].action           | use                             |
        | decisions[0].reasons          | ["authority_thresholds_passed"] |
        | decisions[0].scores.relevance | 1                               |
        | decisions[0].scores.freshness | 1                               |
        | decisions[0].scores.belief    | 0.857142857                     |
        | decisions[0].scores.risk      | 0.242857143                     |

    @needs:authority @level:explain
    Scenario: A guess is to be verified
      Given an empty store
      And these memories are written:
        | key   | content              | sources                                 |
        | ferry | The ferry runs daily | [{"kind": "user", "trust": "inferred"}] |
      When "ferry runs daily" is recalled
      Then these are found:
        | ferry |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].action  | verify                         |
        | decisions[0].reasons | ["belief_below_use_threshold"] |

    @needs:authority @level:explain
    Scenario: Help turns a guess into something to use
      Given an empty store
      And these memories are written:
        | key   | content              | type       | sources                                 |
        | ferry | The ferry runs daily | preference | [{"kind": "user", "trust": "inferred"}] |
      And the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      When "ferry runs daily" is recalled
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].action        | use         |
        | decisions[0].scores.belief | 0.714285714 |
        | decisions[0].scores.risk   | 0.205714286 |

    # 6 / 12 = .5; .20 + .15 + .15 = .5.
    @needs:authority @level:explain
    Scenario: One report of harm makes a claim doubtful
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      When "ferry runs daily" is recalled
      Then these are found:
        | ferry |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].action  | verify                                                     |
        | decisions[0].reasons | ["belief_below_use_threshold", "risk_above_use_threshold"] |

    @needs:authority
    Scenario: Two reports of harm silence a claim
      Given an empty store
      And these memories are written:
        | key   | content                 |
        | ferry | The ferry runs daily    |
        | barge | The ferry runs daily on |
      And the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      And the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      When "ferry runs daily" is recalled
      Then these are found:
        | barge |

    # 1 / 8 = .125, 1 / 9 = .111111111.
    @needs:authority
    Scenario: A weak match is ignored
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry violin quantum soloist dentist bridge vaccine canteen" is recalled
      Then these are found:
        | ferry |
      When "ferry violin quantum soloist dentist bridge vaccine canteen beehive" is recalled
      Then nothing is found

    # 2 ^ (-417 / 180) = .200730720, 2 ^ (-418 / 180) = .199959229.
    @needs:authority @needs:clock @level:explain
    Scenario Outline: An old claim is to be verified
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content              | updated at |
        | ferry | The ferry runs daily | <updated>  |
      When "ferry runs daily" is recalled
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].action     | <action> |
        | decisions[0].reasons[0] | <reason> |

      Examples:
        | updated              | action | reason                      |
        | 2025-05-09T00:00:00Z | use    | authority_thresholds_passed |
        | 2025-05-08T00:00:00Z | verify | stale_memory                |

    @needs:authority @needs:clock @needs:validity @needs:context
    Scenario: An expired claim is never used
      Given an empty store with:
        | clock | 2026-06-29T23:59:59Z |
      And these memories are written:
        | key   | content              | valid to             |
        | ferry | The ferry runs daily | 2026-06-30T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found:
        | ferry |
      When the clock shows "2026-06-30T00:00:00Z"
      And the operation "set_mode" is called with:
        | mode | enforce |
      And the operation "context" is called with:
        | query | ferry runs daily |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |

    @needs:authority @needs:clock @needs:validity
    Scenario: A claim that doesn't hold yet is never used
      Given an empty store with:
        | clock | 2026-06-29T23:59:59Z |
      And these memories are written:
        | key   | content              | valid from           |
        | ferry | The ferry runs daily | 2026-06-30T00:00:00Z |
      When "ferry runs daily" is recalled
      Then nothing is found
      When the clock shows "2026-06-30T00:00:00Z"
      And "ferry runs daily" is recalled
      Then these are found:
        | ferry |
