Feature: Foundation ranking
  How a candidate is compared with the others. Where an order is asked for, the ids are such that
  their own order would be another.

  @req:retrieval-foundation/six-features-make-one-score @must
  Rule: Six features make one score

    # By hand: .55 x 1 + .10 x .9 + .10 x 0 + .10 x 1 + .075 x .5 + .075 x 1 = .8525, and
    # with half the freshness .8025. 2026-01-01 is 180 days before 2026-06-30.
    @needs:trace @needs:clock @level:exact
    Scenario: A fresh workspace fact has the score of the page
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content               | observed at          |
        | fresh | The ferry runs daily  | 2026-06-30T00:00:00Z |
        | older | The ferry runs daily. | 2026-01-01T00:00:00Z |
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then these are found in order:
        | fresh |
        | older |
      And the "trace" says:
        | rankings[fresh].features.lexical       | 1      |
        | rankings[fresh].features.scopeAffinity | 0.9    |
        | rankings[fresh].features.typeAffinity  | 0      |
        | rankings[fresh].features.freshness     | 1      |
        | rankings[fresh].features.importance    | 0.5    |
        | rankings[fresh].features.confidence    | 1      |
        | rankings[fresh].finalScore             | 0.8525 |
        | rankings[older].features.freshness     | 0.5    |
        | rankings[older].finalScore             | 0.8025 |

    @needs:trace
    Scenario: The weights are recorded
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankingWeights.lexical       | 0.55  |
        | rankingWeights.scopeAffinity | 0.1   |
        | rankingWeights.typeAffinity  | 0.1   |
        | rankingWeights.freshness     | 0.1   |
        | rankingWeights.importance    | 0.075 |
        | rankingWeights.confidence    | 0.075 |

    # .55 + .10 + .10 + .10 + .075 + .075 = 1.
    @needs:projects @needs:trace @needs:clock @level:exact
    Scenario: The best memory of all scores 1
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content        | scope   | workspace | type       | importance | confidence |
        | best | I like ferries | project | /w/red    | preference | 1          | 1          |
      When "I like ferries" is recalled with:
        | workspace | /w/red |
        | trace     | true   |
      Then the "trace" says:
        | rankings[best].features.lexical       | 1 |
        | rankings[best].features.scopeAffinity | 1 |
        | rankings[best].features.typeAffinity  | 1 |
        | rankings[best].features.freshness     | 1 |
        | rankings[best].features.importance    | 1 |
        | rankings[best].features.confidence    | 1 |
        | rankings[best].finalScore             | 1 |

    # .55 x 0 + .10 x .8 + .10 x 1 + .10 x 0 + 0 + 0 = .18; 56 years are 113 halvings, so that the
    # freshness is 0 to more than thirty decimals.
    @needs:trace @needs:clock @level:exact
    Scenario: The weakest memory that passes has little but its type
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content              | scope | importance | confidence | observed at          |
        | weak | Vim keys, dark theme | user  | 0          | 0          | 1970-01-01T00:00:00Z |
      When "Who am I?" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankings[weak].features.lexical       | 0    |
        | rankings[weak].features.scopeAffinity | 0.8  |
        | rankings[weak].features.typeAffinity  | 1    |
        | rankings[weak].features.freshness     | 0    |
        | rankings[weak].features.importance    | 0    |
        | rankings[weak].features.confidence    | 0    |
        | rankings[weak].finalScore             | 0.18 |

    # .55 + .10 x .9 + 0 + .10 + .075 x .5 + .075 = .8525.
    @needs:scores @needs:clock @level:exact
    Scenario: A hit carries its score
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled
      Then the "hit ferry" says:
        | score | 0.8525 |

    # 0.5 ^ (90 / 180) is the square root of a half, 0.707106781. The dates are 0, 90, 180 and 360 days
    # and one second after 2026-01-01, and before it.
    @needs:trace @needs:clock @level:exact
    Scenario Outline: Freshness halves every 180 days
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key   | content              | observed at          |
        | ferry | The ferry runs daily | 2026-01-01T00:00:00Z |
      When the clock shows "<now>"
      And "ferry runs daily" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankings[ferry].features.freshness | <freshness> |

      Examples:
        | now                  | freshness   |
        | 2026-01-01T00:00:00Z | 1           |
        | 2026-04-01T00:00:00Z | 0.707106781 |
        | 2026-06-30T00:00:00Z | 0.5         |
        | 2026-12-27T00:00:00Z | 0.25        |
        | 2025-12-31T23:59:59Z | 1           |
        | 2025-07-05T00:00:00Z | 1           |

    @needs:trace @needs:clock @level:exact
    Scenario: What is observed in the future is no fresher than what is observed now
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key  | content               | observed at          |
        | now  | The ferry runs daily  | 2026-01-01T00:00:00Z |
        | soon | The ferry runs daily. | 2026-06-30T00:00:00Z |
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankings[now].features.freshness  | 1      |
        | rankings[soon].features.freshness | 1      |
        | rankings[now].finalScore          | 0.8525 |
        | rankings[soon].finalScore         | 0.8525 |

    @needs:clock @needs:confidence
    Scenario: Age never lowers confidence
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content              | confidence | observed at          |
        | old | The ferry runs daily | 0.9        | 2016-06-30T00:00:00Z |
      When "ferry runs daily" is recalled
      Then the "hit old" says:
        | confidence | 0.9 |

    # ferry, runs and daily are 4, 3 and 4 tokens: 7 / 11 and 11 / 11.
    @needs:clock
    Scenario: Coverage alone decides an order
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content               |
        | a-less | The ferry runs at six |
        | b-more | The ferry runs daily  |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b-more |
        | a-less |

    @needs:projects @needs:workspaces @needs:clock
    Scenario: The nearer scope alone decides an order
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key       | content               | scope     | workspace |
        | a-user    | The ferry runs daily  | user      |           |
        | b-place   | The ferry runs daily. | workspace | /w/red    |
        | c-project | The ferry runs daily! | project   | /w/red    |
      When "ferry runs daily" is recalled with:
        | workspace | /w/red |
      Then these are found in order:
        | c-project |
        | b-place   |
        | a-user    |

    @needs:clock
    Scenario: The hinted type alone decides an order
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key     | content               | type       |
        | a-fact  | The ferry runs daily  | fact       |
        | b-taste | The ferry runs daily. | preference |
      When "I like the ferry that runs daily" is recalled
      Then these are found in order:
        | b-taste |
        | a-fact  |

    @needs:clock
    Scenario: Freshness alone decides an order
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key     | content               | observed at          | updated at           |
        | a-older | The ferry runs daily  | 2026-06-01T00:00:00Z | 2026-06-29T00:00:00Z |
        | b-newer | The ferry runs daily. | 2026-06-02T00:00:00Z | 2026-06-28T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b-newer |
        | a-older |

    @needs:clock
    Scenario: Importance alone decides an order
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content               | importance |
        | a-less | The ferry runs daily  | 0.5        |
        | b-more | The ferry runs daily. | 0.51       |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b-more |
        | a-less |

    @needs:confidence @needs:clock
    Scenario: Confidence alone decides an order
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content               | confidence |
        | a-less | The ferry runs daily  | 0.5        |
        | b-more | The ferry runs daily. | 0.51       |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b-more |
        | a-less |

    # Each word is one token. Of each score what differs: wide .55 x 4/5 = .44; less .55 x 3/5 + .075 +
    # .075 x .466 = .43995; more .55 x 3/5 + .075 + .075 x .467 = .440025. A weight of .5497 puts less
    # before wide, one of .5502 wide before more.
    @needs:confidence @needs:clock @level:exact
    Scenario: Coverage is weighed against importance and confidence
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content             | importance | confidence |
        | less | red fox jam pie     | 1          | 0.466      |
        | more | red fox jam pie!    | 1          | 0.467      |
        | wide | red fox jam hat pie | 0          | 0          |
      When "red fox jam hat cup" is recalled
      Then these are found in order:
        | more |
        | wide |
        | less |

    # A step of scope is .10 x .1 = .01. Against it stand .075 x .133 = .009975 and .075 x .134 = .01005
    # of confidence: a step of .00997 puts less before near, one of .01006 near before more.
    @needs:projects @needs:workspaces @needs:confidence @needs:clock @level:exact
    Scenario Outline: Scope is weighed against confidence
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content               | scope  | workspace | confidence |
        | less | The ferry runs daily  | <far>  | <place>   | 0.633      |
        | more | The ferry runs daily. | <far>  | <place>   | 0.634      |
        | near | The ferry runs daily! | <near> | /w/red    | 0.5        |
      When "ferry runs daily" is recalled with:
        | workspace | /w/red |
      Then these are found in order:
        | more |
        | near |
        | less |

      Examples:
        | near      | far       | place  |
        | project   | workspace | /w/red |
        | workspace | user      |        |

    # Of each score what differs: fact .075 + .075 = .15; less .10 + .075 x .666 = .14995; more .10 +
    # .075 x .667 = .150025. A weight of .1001 puts less before fact, one of .0999 fact before more.
    @needs:confidence @needs:clock @level:exact
    Scenario: Type is weighed against importance and confidence
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content               | type       | importance | confidence |
        | fact | The ferry runs daily  | fact       | 1          | 1          |
        | less | The ferry runs daily. | preference | 0          | 0.666      |
        | more | The ferry runs daily! | preference | 0          | 0.667      |
      When "I like the ferry that runs daily" is recalled
      Then these are found in order:
        | more |
        | fact |
        | less |

    # Of each score what differs: old .10 x .5 + .075 = .125; less .10 + .075 x .333 = .124975; more
    # .10 + .075 x .334 = .12505. A weight of .1001 puts less before old, one of .0998 old before more.
    @needs:confidence @needs:clock @level:exact
    Scenario: Freshness is weighed against confidence
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content               | confidence | observed at          |
        | less | The ferry runs daily  | 0.333      | 2026-06-30T00:00:00Z |
        | more | The ferry runs daily. | 0.334      | 2026-06-30T00:00:00Z |
        | old  | The ferry runs daily! | 1          | 2026-01-01T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | more |
        | old  |
        | less |

    # Of each score what differs: sure .075 x (.5 + .601) = .082575; less .075 x (.6 + .5) = .0825;
    # more .075 x (.602 + .5) = .08265. One weight that is .001 off puts less or sure first.
    @needs:confidence @needs:clock @level:exact
    Scenario: Importance is weighed against confidence
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content               | importance | confidence |
        | less | The ferry runs daily  | 0.6        | 0.5        |
        | more | The ferry runs daily. | 0.602      | 0.5        |
        | sure | The ferry runs daily! | 0.5        | 0.601      |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | more |
        | sure |
        | less |

  @req:retrieval-foundation/the-order-is-total @must @needs:clock
  Rule: The order is total

    Scenario: The later update comes first
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key     | content               | observed at          | updated at           |
        | a-early | The ferry runs daily  | 2026-06-01T00:00:00Z | 2026-06-10T00:00:00Z |
        | b-late  | The ferry runs daily. | 2026-06-01T00:00:00Z | 2026-06-20T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b-late  |
        | a-early |

    # 02:00 two hours ahead is midnight, half an hour before 00:30 in UTC.
    Scenario Outline: Updates are compared as instants
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key     | content               | observed at          | updated at |
        | a-early | The ferry runs daily  | 2026-06-01T00:00:00Z | <early>    |
        | b-late  | The ferry runs daily. | 2026-06-01T00:00:00Z | <late>     |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b-late  |
        | a-early |

      Examples:
        | early                     | late                     |
        | 2026-06-10T00:00:00.000Z  | 2026-06-10T00:00:00.001Z |
        | 2026-06-10T02:00:00+02:00 | 2026-06-10T00:30:00Z     |

    Scenario: A better score comes before a later update
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key     | content               | observed at          | updated at           | importance |
        | a-late  | The ferry runs daily  | 2026-06-01T00:00:00Z | 2026-06-30T00:00:00Z | 0.5        |
        | b-early | The ferry runs daily. | 2026-06-01T00:00:00Z | 2020-06-30T00:00:00Z | 0.501      |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b-early |
        | a-late  |

    Scenario: Equal memories come by id
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content               |
        | c   | The ferry runs daily! |
        | a   | The ferry runs daily  |
        | b   | The ferry runs daily. |
      When "ferry runs daily" is recalled
      Then these are found:
        | a |
        | b |
        | c |
      And the "answer" says:
        | hits[0].id | by ids: given key:a |
        | hits[1].id | by ids: given key:b |
        | hits[2].id | by ids: given key:c |

    Scenario Outline: Ids are compared by code point
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key      | content               |
        | <second> | The ferry runs daily  |
        | <first>  | The ferry runs daily. |
      When "ferry runs daily" is recalled
      Then these are found:
        | <first>  |
        | <second> |
      And the "answer" says:
        | hits[0].id | by ids: given key:<first>  |
        | hits[1].id | by ids: given key:<second> |

      Examples:
        | first | second |
        | n10   | n9     |
        | B     | a      |
        | aB    | aa     |
        | x-9   | x1     |
        | x9    | xA     |
        | xZ    | x_     |
        | x_    | xa     |
        | x     | x-     |

    @needs:durable
    Scenario: The order of writing makes no difference
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content               |
        | d   | The ferry runs daily! |
        | b   | The ferry runs daily  |
        | c   | The ferry runs daily. |
        | a   | The ferry runs daily? |
      And "ferry runs daily" is recalled with:
        | limit | 2 |
      And the answer is kept
      When the store is restarted
      And "ferry runs daily" is recalled with:
        | limit | 2 |
      Then the answer equals the kept one
      And the "answer" says:
        | hits.length | 2                   |
        | hits[0].id  | by ids: given key:a |
        | hits[1].id  | by ids: given key:b |
