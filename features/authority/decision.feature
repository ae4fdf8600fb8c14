Feature: The decision on a claim
  What may be done with a claim before it enters a prompt. A belief is alpha / (alpha + beta); a risk is the
  base of the kind, plus .3 times (1 - belief), plus .15 for each report of harm, at most .3.

  @req:claim-authority/risk-follows-from-kind-doubt-and-harm @must
  Rule: Risk follows from kind, doubt and harm

    # .3 x (1 - 1/2) = .15 is added to each base.
    @needs:authority @level:exact
    Scenario Outline: Each kind has its own base
      Given an empty store
      When the operation "decide" is called with:
        | kind      | <kind>               |
        | alpha     | 1                    |
        | beta      | 1                    |
        | relevance | 1                    |
        | freshness | 1                    |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | scores.belief | 0.5    |
        | scores.risk   | <risk> |

      Examples:
        | kind       | risk |
        | preference | 0.27 |
        | fact       | 0.35 |
        | procedure  | 0.43 |
        | constraint | 0.49 |
        | warning    | 0.55 |

    @needs:authority @level:exact
    Scenario Outline: Doubt adds to the risk
      Given an empty store
      When the operation "decide" is called with:
        | kind      | preference           |
        | alpha     | <alpha>              |
        | beta      | <beta>               |
        | relevance | 1                    |
        | freshness | 1                    |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | scores.belief | <belief> |
        | scores.risk   | <risk>   |

      Examples:
        | alpha | beta | belief      | risk        |
        | 6     | 1    | 0.857142857 | 0.162857143 |
        | 4     | 2    | 0.666666667 | 0.22        |
        | 9     | 1    | 0.9         | 0.15        |
        | 1     | 9    | 0.1         | 0.39        |

    # .12 + .3 x .2 = .18.
    @needs:authority @level:exact
    Scenario Outline: Harm adds to the risk up to a limit
      Given an empty store
      When the operation "decide" is called with:
        | kind          | preference           |
        | alpha         | 8                    |
        | beta          | 2                    |
        | harmful count | <harm>               |
        | relevance     | 1                    |
        | freshness     | 1                    |
        | time          | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | scores.risk | <risk> |

      Examples:
        | harm | risk |
        | 0    | 0.18 |
        | 1    | 0.33 |
        | 2    | 0.48 |
        | 3    | 0.48 |

    # .9 + .3 x .9 + .3 would be 1.47.
    @needs:authority @level:exact
    Scenario: The risk stays within one
      Given an empty store
      When the operation "decide" is called with:
        | kind               | warning              |
        | alpha              | 1                    |
        | beta               | 9                    |
        | harmful count      | 2                    |
        | relevance          | 1                    |
        | freshness          | 1                    |
        | time               | 2026-06-30T00:00:00Z |
        | policy.warningRisk | 0.9                  |
      Then the "answer" says:
        | scores.risk | 1 |

  @req:claim-authority/the-first-rule-that-applies-decides @must
  Rule: The first rule that applies decides

    @needs:authority @level:exact
    Scenario: What passes every threshold may be used
      Given an empty store
      When the operation "decide" is called with:
        | kind      | preference           |
        | alpha     | 6                    |
        | beta      | 1                    |
        | relevance | 0.5                  |
        | freshness | 0.75                 |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action           | use                             |
        | reasons          | ["authority_thresholds_passed"] |
        | scores.relevance | 0.5                             |
        | scores.freshness | 0.75                            |
        | scores.belief    | 0.857142857                     |
        | scores.risk      | 0.162857143                     |

    @needs:authority @level:exact
    Scenario Outline: A claim that is not active is ignored
      Given an empty store
      When the operation "decide" is called with:
        | kind      | preference           |
        | state     | <state>              |
        | alpha     | 6                    |
        | beta      | 1                    |
        | relevance | 1                    |
        | freshness | 1                    |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action  | <action>   |
        | reasons | [<reason>] |

      Examples:
        | state      | action | reason                        |
        | active     | use    | "authority_thresholds_passed" |
        | superseded | ignore | "claim_not_active"            |
        | tombstoned | ignore | "claim_not_active"            |

    @needs:authority @level:exact
    Scenario Outline: Validity ends with its last instant
      Given an empty store
      When the operation "decide" is called with:
        | kind        | preference           |
        | valid until | <end>                |
        | alpha       | 6                    |
        | beta        | 1                    |
        | relevance   | 1                    |
        | freshness   | 1                    |
        | time        | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action  | <action>   |
        | reasons | [<reason>] |

      Examples:
        | end                       | action | reason                        |
        | null                      | use    | "authority_thresholds_passed" |
        | 2026-06-30T00:00:00.001Z  | use    | "authority_thresholds_passed" |
        | 2026-06-30T00:00:00Z      | verify | "claim_expired"               |
        | 2026-06-29T23:59:59.999Z  | verify | "claim_expired"               |
        | 2026-06-30T02:00:00+02:00 | verify | "claim_expired"               |

    # .12 + .3 x .02 + .15 = .276.
    @needs:authority @level:exact
    Scenario Outline: Two reports of harm are quarantine
      Given an empty store
      When the operation "decide" is called with:
        | kind          | preference           |
        | alpha         | 98                   |
        | beta          | 2                    |
        | harmful count | <harm>               |
        | relevance     | 1                    |
        | freshness     | 1                    |
        | time          | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action  | <action>   |
        | reasons | [<reason>] |

      Examples:
        | harm | action | reason                        |
        | 0    | use    | "authority_thresholds_passed" |
        | 1    | use    | "authority_thresholds_passed" |
        | 2    | ignore | "harmful_quarantine"          |
        | 3    | ignore | "harmful_quarantine"          |

    @needs:authority @level:exact
    Scenario Outline: Relevance begins at its threshold
      Given an empty store
      When the operation "decide" is called with:
        | kind      | preference           |
        | alpha     | 6                    |
        | beta      | 1                    |
        | relevance | <relevance>          |
        | freshness | 1                    |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action  | <action>   |
        | reasons | [<reason>] |

      Examples:
        | relevance   | action | reason                        |
        | 0           | ignore | "low_relevance"               |
        | 0.119999999 | ignore | "low_relevance"               |
        | 0.12        | use    | "authority_thresholds_passed" |
        | 0.120000001 | use    | "authority_thresholds_passed" |

    @needs:authority @level:exact
    Scenario Outline: Freshness begins at its threshold
      Given an empty store
      When the operation "decide" is called with:
        | kind      | preference           |
        | alpha     | 6                    |
        | beta      | 1                    |
        | relevance | 1                    |
        | freshness | <freshness>          |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action  | <action>   |
        | reasons | [<reason>] |

      Examples:
        | freshness   | action | reason                        |
        | 0           | verify | "stale_memory"                |
        | 0.199999999 | verify | "stale_memory"                |
        | 0.2         | use    | "authority_thresholds_passed" |
        | 0.200000001 | use    | "authority_thresholds_passed" |

    # 7 / 10 = .7; the risk is then .12 + .3 x .3 = .21.
    @needs:authority @level:exact
    Scenario Outline: Belief begins at its threshold
      Given an empty store
      When the operation "decide" is called with:
        | kind      | preference           |
        | alpha     | <alpha>              |
        | beta      | <beta>               |
        | relevance | 1                    |
        | freshness | 1                    |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | scores.belief | <belief>   |
        | action        | <action>   |
        | reasons       | [<reason>] |

      Examples:
        | alpha      | beta       | belief      | action | reason                        |
        | 6.99999999 | 3.00000001 | 0.699999999 | verify | "belief_below_use_threshold"  |
        | 7          | 3          | 0.7         | use    | "authority_thresholds_passed" |
        | 7.00000001 | 2.99999999 | 0.700000001 | use    | "authority_thresholds_passed" |

    # A warning at 15, 3: .40 + .3 x 3/18 = .45. A procedure at 84, 6 with harm: .28 + .3 x 6/90 + .15 =
    # .45; at 83, 7 it is .28 + .3 x 7/90 + .15 = .453333333, at 85, 5 it is .446666667. A constraint at
    # 6, 1: .34 + .3 / 7.
    @needs:authority @level:exact
    Scenario Outline: Risk ends at its threshold
      Given an empty store
      When the operation "decide" is called with:
        | kind          | <kind>               |
        | alpha         | <alpha>              |
        | beta          | <beta>               |
        | harmful count | <harm>               |
        | relevance     | 1                    |
        | freshness     | 1                    |
        | time          | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | scores.risk | <risk>     |
        | action      | <action>   |
        | reasons     | [<reason>] |

      Examples:
        | kind       | alpha       | beta       | harm | risk        | action | reason                        |
        | constraint | 6           | 1          | 0    | 0.382857143 | use    | "authority_thresholds_passed" |
        | warning    | 15.00000012 | 2.99999988 | 0    | 0.449999998 | use    | "authority_thresholds_passed" |
        | warning    | 15          | 3          | 0    | 0.45        | use    | "authority_thresholds_passed" |
        | warning    | 14.99999988 | 3.00000012 | 0    | 0.450000002 | verify | "risk_above_use_threshold"    |
        | procedure  | 85          | 5          | 1    | 0.446666667 | use    | "authority_thresholds_passed" |
        | procedure  | 84          | 6          | 1    | 0.45        | use    | "authority_thresholds_passed" |
        | procedure  | 83          | 7          | 1    | 0.453333333 | verify | "risk_above_use_threshold"    |

    # .40 + .3 x .5 = .55.
    @needs:authority @level:exact
    Scenario: Every doubt is named
      Given an empty store
      When the operation "decide" is called with:
        | kind      | warning              |
        | alpha     | 5                    |
        | beta      | 5                    |
        | relevance | 1                    |
        | freshness | 1                    |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action  | verify                                                     |
        | reasons | ["belief_below_use_threshold", "risk_above_use_threshold"] |

    # Each row breaks two rules: an end that has passed is rule 2, harm 2 rule 3, relevance .1 rule 4,
    # freshness .1 rule 5, a belief of 6/10 rule 6.
    @needs:authority @level:exact
    Scenario Outline: Of two rules the earlier decides
      Given an empty store
      When the operation "decide" is called with:
        | kind          | preference           |
        | state         | <state>              |
        | valid until   | <end>                |
        | alpha         | <alpha>              |
        | beta          | <beta>               |
        | harmful count | <harm>               |
        | relevance     | <relevance>          |
        | freshness     | <freshness>          |
        | time          | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action  | <action>   |
        | reasons | [<reason>] |

      Examples:
        | state      | end                  | harm | relevance | freshness | alpha | beta | action | reason               |
        | superseded | 2026-06-29T00:00:00Z | 0    | 1         | 1         | 6     | 1    | ignore | "claim_not_active"   |
        | superseded | null                 | 2    | 1         | 1         | 6     | 1    | ignore | "claim_not_active"   |
        | superseded | null                 | 0    | 0.1       | 1         | 6     | 1    | ignore | "claim_not_active"   |
        | superseded | null                 | 0    | 1         | 0.1       | 6     | 1    | ignore | "claim_not_active"   |
        | superseded | null                 | 0    | 1         | 1         | 6     | 4    | ignore | "claim_not_active"   |
        | active     | 2026-06-29T00:00:00Z | 2    | 1         | 1         | 6     | 1    | verify | "claim_expired"      |
        | active     | 2026-06-29T00:00:00Z | 0    | 0.1       | 1         | 6     | 1    | verify | "claim_expired"      |
        | active     | 2026-06-29T00:00:00Z | 0    | 1         | 0.1       | 6     | 1    | verify | "claim_expired"      |
        | active     | 2026-06-29T00:00:00Z | 0    | 1         | 1         | 6     | 4    | verify | "claim_expired"      |
        | active     | null                 | 2    | 0.1       | 1         | 6     | 1    | ignore | "harmful_quarantine" |
        | active     | null                 | 2    | 1         | 0.1       | 6     | 1    | ignore | "harmful_quarantine" |
        | active     | null                 | 2    | 1         | 1         | 6     | 4    | ignore | "harmful_quarantine" |
        | active     | null                 | 0    | 0.1       | 0.1       | 6     | 1    | ignore | "low_relevance"      |
        | active     | null                 | 0    | 0.1       | 1         | 6     | 4    | ignore | "low_relevance"      |
        | active     | null                 | 0    | 1         | 0.1       | 6     | 4    | verify | "stale_memory"       |

    @needs:authority @level:exact
    Scenario Outline: What differs beyond nine decimals is equal
      Given an empty store
      When the operation "decide" is called with:
        | kind      | preference           |
        | alpha     | 6                    |
        | beta      | 1                    |
        | relevance | <relevance>          |
        | freshness | <freshness>          |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action | use |

      Examples:
        | relevance    | freshness    |
        | 0.1199999996 | 1            |
        | 1            | 0.1999999996 |

    # Even with full belief the risk is .34 + .15 = .49 or more.
    @needs:authority @level:exact
    Scenario Outline: A constraint or a warning that did harm once is never used
      Given an empty store
      When the operation "decide" is called with:
        | kind          | <kind>               |
        | alpha         | 1000000              |
        | beta          | 0.001                |
        | harmful count | 1                    |
        | relevance     | 1                    |
        | freshness     | 1                    |
        | time          | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | action  | verify                       |
        | reasons | ["risk_above_use_threshold"] |

      Examples:
        | kind       |
        | constraint |
        | warning    |

    # 5 / 7 = .714285714; .12 + .3 x 2/7 = .205714286.
    @needs:authority @level:exact
    Scenario Outline: A guess may be used once it has helped
      Given an empty store
      When the operation "decide" is called with:
        | kind      | preference           |
        | alpha     | <alpha>              |
        | beta      | 2                    |
        | relevance | 1                    |
        | freshness | 1                    |
        | time      | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | scores.belief | <belief> |
        | scores.risk   | <risk>   |
        | action        | <action> |

      Examples:
        | alpha | belief      | risk        | action |
        | 4     | 0.666666667 | 0.22        | verify |
        | 5     | 0.714285714 | 0.205714286 | use    |

    # A belief of .6 and, of a preference, a risk of .12 + .3 x .4 + .15 = .39: with a threshold of belief of
    # .6 it may be used. A fact has .47, which a base of .18 or harm of at most .1 brings down to .45 and .42;
    # each other kind has more, and comes to .45 with the same base.
    @needs:authority @level:exact
    Scenario Outline: Each threshold is configuration
      Given an empty store
      When the operation "decide" is called with:
        | kind             | <kind>               |
        | alpha            | 6                    |
        | beta             | 4                    |
        | harmful count    | 1                    |
        | relevance        | 0.5                  |
        | freshness        | 0.5                  |
        | time             | 2026-06-30T00:00:00Z |
        | policy.useBelief | 0.6                  |
        | policy.<name>    | <value>              |
      Then the "answer" says:
        | action     | <action> |
        | reasons[0] | <reason> |

      Examples:
        | kind       | name            | value | action | reason                      |
        | preference | mostRisk        | 0.39  | use    | authority_thresholds_passed |
        | preference | mostRisk        | 0.38  | verify | risk_above_use_threshold    |
        | preference | quarantineCount | 1     | ignore | harmful_quarantine          |
        | preference | leastRelevance  | 0.6   | ignore | low_relevance               |
        | preference | leastFreshness  | 0.6   | verify | stale_memory                |
        | preference | preferenceRisk  | 0.19  | verify | risk_above_use_threshold    |
        | preference | doubtWeight     | 0.5   | verify | risk_above_use_threshold    |
        | preference | harmWeight      | 0.25  | verify | risk_above_use_threshold    |
        | fact       | harmLimit       | 0.1   | use    | authority_thresholds_passed |
        | fact       | factRisk        | 0.18  | use    | authority_thresholds_passed |
        | procedure  | procedureRisk   | 0.18  | use    | authority_thresholds_passed |
        | constraint | constraintRisk  | 0.18  | use    | authority_thresholds_passed |
        | warning    | warningRisk     | 0.18  | use    | authority_thresholds_passed |

    @needs:authority @needs:clock
    Scenario: The same figures give the same decision
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And the operation "decide" is called with:
        | kind        | fact                 |
        | valid until | 2026-07-01T00:00:00Z |
        | alpha       | 6                    |
        | beta        | 1                    |
        | relevance   | 0.5                  |
        | freshness   | 0.5                  |
        | time        | 2026-06-30T00:00:00Z |
      And the answer is kept
      When the clock shows "2030-01-01T00:00:00Z"
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "decide" is called with:
        | kind        | fact                 |
        | valid until | 2026-07-01T00:00:00Z |
        | alpha       | 6                    |
        | beta        | 1                    |
        | relevance   | 0.5                  |
        | freshness   | 0.5                  |
        | time        | 2026-06-30T00:00:00Z |
      Then the answer equals the kept one

    @needs:authority
    Scenario Outline: Figures that can't be are refused
      Given an empty store
      When the operation "decide" is called with:
        | kind          | <kind>      |
        | alpha         | <alpha>     |
        | beta          | <beta>      |
        | harmful count | <harm>      |
        | relevance     | <relevance> |
        | freshness     | <freshness> |
        | time          | <time>      |
      Then the call is refused as "invalid"
      When the operation "decide" is called with:
        | kind          | fact                 |
        | alpha         | 0.001                |
        | beta          | 0.001                |
        | harmful count | 0                    |
        | relevance     | 1                    |
        | freshness     | 0                    |
        | time          | 2026-06-30T00:00:00Z |
      Then the "answer" says:
        | reasons | ["stale_memory"] |

      Examples:
        | kind  | alpha | beta | harm | relevance | freshness | time                 |
        | rumor | 6     | 1    | 0    | 1         | 1         | 2026-06-30T00:00:00Z |
        | fact  | 0     | 1    | 0    | 1         | 1         | 2026-06-30T00:00:00Z |
        | fact  | 6     | -1   | 0    | 1         | 1         | 2026-06-30T00:00:00Z |
        | fact  | 6     | 1    | -1   | 1         | 1         | 2026-06-30T00:00:00Z |
        | fact  | 6     | 1    | 0    | 1.1       | 1         | 2026-06-30T00:00:00Z |
        | fact  | 6     | 1    | 0    | -0.1      | 1         | 2026-06-30T00:00:00Z |
        | fact  | 6     | 1    | 0    | 1         | 1.1       | 2026-06-30T00:00:00Z |
        | fact  | 6     | 1    | 0    | 1         | much      | 2026-06-30T00:00:00Z |
        | fact  | 6     | 1    | 0    | 1         | 1         | yesterday            |
