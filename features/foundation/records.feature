Feature: Foundation records
  What a memory is before anybody asks for it. After a refusal a draft that differs from the refused
  one in one thing is written: it must be stored.

  @req:retrieval-foundation/records-get-typed-defaults @must
  Rule: Records get typed defaults

    @needs:confidence
    Scenario: A plain text becomes an active fact
      Given an empty store
      When these memories are written:
        | key   | content                      |
        | plain | The kettle takes two minutes |
      Then the "record plain" says:
        | state      | active |
        | type       | fact   |
        | confidence | 1      |

    Scenario: Every memory gets an id of its own
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The kettle takes two minutes"} |
      And the answer is kept
      And the operation "write" is called with:
        | record | {"content": "The toaster takes one minute"} |
      Then the "answer" says:
        | outcome | created              |
        | id      | other than {kept:id} |

    @needs:workspaces @needs:trace @level:explain
    Scenario: A memory without a scope belongs to the workspace
      Given an empty store
      And these memories are written:
        | key    | content                      | workspace |
        | kettle | The kettle takes two minutes | /w/red    |
      When "kettle takes two minutes" is recalled with:
        | workspace | /w/blue |
      Then nothing is found
      When "kettle takes two minutes" is recalled with:
        | workspace | /w/red |
        | trace     | true   |
      Then these are found:
        | kettle |
      And the "trace" says:
        | rankings[kettle].features.scopeAffinity | 0.9 |

    @needs:tags
    Scenario: A tag names the type
      Given an empty store
      When these memories are written:
        | key   | content            | tags     |
        | chose | Chose the blue tin | decision |
        | taste | Two spoons, no ice | 偏好     |
      Then the "record chose" says:
        | type | decision |
      And the "record taste" says:
        | type | preference |

    @needs:tags
    Scenario Outline: Every type has its tags
      Given an empty store
      When these memories are written:
        | key    | content            | tags  |
        | tagged | Two spoons, no ice | <tag> |
      Then the "record tagged" says:
        | type | <type> |

      Examples:
        | tag          | type         |
        | preference   | preference   |
        | preferences  | preference   |
        | 偏好         | preference   |
        | decision     | decision     |
        | 决定         | decision     |
        | episode      | episode      |
        | 经历         | episode      |
        | relationship | relationship |
        | 关系         | relationship |
        | insight      | insight      |
        | 洞察         | insight      |

    @needs:tags
    Scenario Outline: A tag in another spelling names the type
      Given an empty store
      When these memories are written:
        | key    | content            | tags  |
        | tagged | Two spoons, no ice | <tag> |
      Then the "record tagged" says:
        | type | decision  |
        | tags | ["<tag>"] |

      Examples:
        | tag              |
        | Decision         |
        | DECISION         |
        | ｄｅｃｉｓｉｏｎ |

    @needs:tags
    Scenario Outline: A tag that names no type leaves a fact
      Given an empty store
      When these memories are written:
        | key    | content            | tags  |
        | tagged | Two spoons, no ice | <tag> |
      Then the "record tagged" says:
        | type | fact |

      Examples:
        | tag           |
        | decisions     |
        | insights      |
        | my preference |
        | identity      |
        | 喜欢          |
        | 偏好设置      |

    @needs:tags
    Scenario: Of two tags the order of the types decides
      Given an empty store
      When these memories are written:
        | key  | content            | tags                |
        | both | Two spoons, no ice | insight, preference |
      Then the "record both" says:
        | type | preference               |
        | tags | ["insight","preference"] |

    @needs:tags
    Scenario Outline: Of neighbouring types the earlier one wins
      Given an empty store
      When these memories are written:
        | key  | content            | tags   |
        | both | Two spoons, no ice | <tags> |
      Then the "record both" says:
        | type | <type> |

      Examples:
        | tags                  | type         |
        | decision, preference  | preference   |
        | episode, 决定         | decision     |
        | 关系, episode         | episode      |
        | insight, relationship | relationship |

    @needs:tags
    Scenario: A type that is given outweighs the tags
      Given an empty store
      When these memories are written:
        | key   | content            | type    | tags     |
        | given | Chose the blue tin | episode | decision |
      Then the "record given" says:
        | type | episode |

    Scenario Outline: Every type may be given
      Given an empty store
      When these memories are written:
        | key   | content            | type   |
        | given | Chose the blue tin | <type> |
      Then the "record given" says:
        | type | <type> |

      Examples:
        | type         |
        | fact         |
        | preference   |
        | decision     |
        | episode      |
        | relationship |
        | insight      |

    @needs:confidence
    Scenario Outline: A confidence that is given stays
      Given an empty store
      When these memories are written:
        | key   | content            | confidence   |
        | given | Chose the blue tin | <confidence> |
      Then the "record given" says:
        | confidence | <confidence> |

      Examples:
        | confidence |
        | 0          |
        | 0.37       |
        | 1          |

    @needs:trace @needs:clock @level:explain
    Scenario: A file weighs more than a web page
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content                           | sources           |
        | a-page | The kettle boils in four minutes  | [{"kind":"web"}]  |
        | b-file | The kettle boils in four minutes. | [{"kind":"file"}] |
      When "kettle boils in four minutes" is recalled with:
        | trace | true |
      Then these are found in order:
        | b-file |
        | a-page |
      And the "trace" says:
        | rankings[b-file].features.importance | 0.6 |
        | rankings[a-page].features.importance | 0.4 |

    @needs:trace @level:exact
    Scenario Outline: Importance follows the kind of the source
      Given an empty store
      And these memories are written:
        | key    | content                          | sources   |
        | kettle | The kettle boils in four minutes | <sources> |
      When "kettle boils in four minutes" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankings[kettle].features.importance | <importance> |

      Examples:
        | sources                | importance |
        | [{"kind":"user"}]      | 0.8        |
        | [{"kind":"file"}]      | 0.6        |
        | [{"kind":"tool"}]      | 0.5        |
        | [{"kind":"web"}]       | 0.4        |
        | [{"kind":"inference"}] | 0.3        |
        | [{"kind":"imported"}]  | 0.5        |
        | [{"kind":"legacy"}]    | 0.5        |
        | []                     | 0.5        |

    @needs:trace @level:exact
    Scenario Outline: The first of two sources says the importance
      Given an empty store
      And these memories are written:
        | key    | content                          | sources   |
        | kettle | The kettle boils in four minutes | <sources> |
      When "kettle boils in four minutes" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankings[kettle].features.importance | <importance> |

      Examples:
        | sources                          | importance |
        | [{"kind":"web"},{"kind":"user"}] | 0.4        |
        | [{"kind":"user"},{"kind":"web"}] | 0.8        |

    @needs:trace @level:exact
    Scenario Outline: An importance that is given stays
      Given an empty store
      And these memories are written:
        | key    | content                          | sources          | importance   |
        | kettle | The kettle boils in four minutes | [{"kind":"web"}] | <importance> |
      When "kettle boils in four minutes" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankings[kettle].features.importance | <importance> |

      Examples:
        | importance |
        | 0          |
        | 0.37       |
        | 1          |

    Scenario: A source is kept as it was given
      Given an empty store
      When these memories are written:
        | key    | content                          | sources |
        | kettle | The kettle boils in four minutes | [{"id":"s-1","kind":"tool","locator":"lab/log 7.txt","excerpt":"boiled at 4:02","trust":"observed","threadId":"t-1","turnId":"u-2","itemId":"i-3","contentHash":"abc"}] |
      Then the "record kettle" says:
        | sources | [{"id":"s-1","kind":"tool","locator":"lab/log 7.txt","excerpt":"boiled at 4:02","trust":"observed","threadId":"t-1","turnId":"u-2","itemId":"i-3","contentHash":"abc"}] |

    Scenario Outline: Every trust of a source is accepted
      Given an empty store
      When these memories are written:
        | key    | content                          | sources                             |
        | kettle | The kettle boils in four minutes | [{"kind":"user","trust":"<trust>"}] |
      Then the "record kettle" says:
        | sources[0].trust | <trust> |

      Examples:
        | trust         |
        | explicit-user |
        | observed      |
        | inferred      |
        | imported      |
        | legacy        |

    # 2026-01-01 is 180 days before 2026-06-30 (30 of January, 28, 31, 30, 31 and 30 days of the five
    # months after it), 2025-07-05 is 360. Freshness is 0.5 after 180 days and 0.25 after 360.
    @needs:trace @needs:clock @level:exact
    Scenario Outline: The age counts from what is known
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content                          | observed at | updated at | created at |
        | kettle | The kettle boils in four minutes | <observed>  | <updated>  | <created>  |
      When "kettle boils in four minutes" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankings[kettle].features.freshness | <freshness> |

      Examples:
        | observed             | updated              | created              | freshness |
        | 2026-01-01T00:00:00Z | 2026-06-30T00:00:00Z | 2025-07-05T00:00:00Z | 0.5       |
        | 2026-06-30T00:00:00Z | 2026-01-01T00:00:00Z | 2026-01-01T00:00:00Z | 1         |
        |                      | 2026-01-01T00:00:00Z | 2025-07-05T00:00:00Z | 0.5       |
        |                      |                      | 2025-07-05T00:00:00Z | 0.25      |
        |                      |                      |                      | 1         |

    @needs:validity
    Scenario Outline: A time that is given stays, in UTC
      Given an empty store
      When these memories are written:
        | key    | content                          | <field>                   |
        | kettle | The kettle boils in four minutes | 2026-06-01T01:30:00+02:00 |
      Then the "record kettle" says:
        | times.<path> | containing 2026-05-31T23:30:00 |
        | times.<path> | without +                      |

      Examples:
        | field       | path       |
        | created at  | createdAt  |
        | updated at  | updatedAt  |
        | observed at | observedAt |
        | valid from  | validFrom  |
        | valid to    | validTo    |
        | expires at  | expiresAt  |

    @needs:validity @needs:clock
    Scenario: A time with an offset is the same instant
      Given an empty store with:
        | clock | 2026-05-31T23:59:59.999Z |
      And these memories are written:
        | key    | content                          | valid from                |
        | kettle | The kettle boils in four minutes | 2026-06-01T02:00:00+02:00 |
      When "kettle boils in four minutes" is recalled
      Then nothing is found
      When the clock shows "2026-06-01T00:00:00Z"
      And "kettle boils in four minutes" is recalled
      Then these are found:
        | kettle |

  @req:retrieval-foundation/contradictory-drafts-are-refused @must
  Rule: Contradictory drafts are refused

    @needs:validity
    Scenario: Validity that ends before it begins is refused
      Given an empty store
      When these memories are written:
        | key  | content         | valid from           | valid to             |
        | back | Summer schedule | 2026-06-01T00:00:00Z | 2026-05-01T00:00:00Z |
      Then the call is refused as "invalid"

    @needs:validity
    Scenario Outline: Validity that ends a millisecond before it begins is refused
      Given an empty store
      When these memories are written:
        | key  | content         | valid from | valid to |
        | back | Summer schedule | <from>     | <to>     |
      Then the call is refused as "invalid"

      Examples:
        | from                 | to                            |
        | 2026-06-01T00:00:00Z | 2026-05-31T23:59:59.999Z      |
        | 2026-06-01T00:00:00Z | 2026-06-01T01:59:59.999+02:00 |

    @needs:validity
    Scenario Outline: Validity of one instant is accepted
      Given an empty store
      When these memories are written:
        | key | content         | valid from           | valid to |
        | one | Summer schedule | 2026-06-01T00:00:00Z | <to>     |
      Then the "outcome one" says:
        | outcome | created |

      Examples:
        | to                        |
        | 2026-06-01T00:00:00Z      |
        | 2026-06-01T02:00:00+02:00 |

    @needs:validity
    Scenario: A lifetime beside an expiry is refused
      Given an empty store
      When these memories are written:
        | key  | content         | expires at           | ttl ms |
        | both | Summer schedule | 2026-06-01T00:00:00Z | 1000   |
      Then the call is refused as "invalid"

    @needs:validity
    Scenario Outline: A lifetime or an expiry alone is accepted
      Given an empty store
      When these memories are written:
        | key | content         | expires at | ttl ms     |
        | one | Summer schedule | <expiry>   | <lifetime> |
      Then the "outcome one" says:
        | outcome | created |

      Examples:
        | expiry               | lifetime |
        | 2026-06-01T00:00:00Z |          |
        |                      | 1000     |

    @needs:validity
    Scenario Outline: A lifetime that is not positive is refused
      Given an empty store
      When these memories are written:
        | key  | content         | ttl ms     |
        | dead | Summer schedule | <lifetime> |
      Then the call is refused as "invalid"
      When these memories are written:
        | key   | content         | ttl ms |
        | brief | Summer schedule | 1      |
      Then the "outcome brief" says:
        | outcome | created |

      Examples:
        | lifetime |
        | 0        |
        | -1       |

    Scenario: A memory without content is refused
      Given an empty store
      When these memories are written:
        | key   | content |
        | empty | ""      |
      Then the call is refused as "invalid"
      When these memories are written:
        | key   | content |
        | least | x       |
      Then the "outcome least" says:
        | outcome | created |

    @needs:confidence
    Scenario Outline: A confidence or importance out of range is refused
      Given an empty store
      When these memories are written:
        | key    | content         | <field>  |
        | beyond | Summer schedule | <beyond> |
      Then the call is refused as "out of range"
      When these memories are written:
        | key    | content         | <field> |
        | within | Summer schedule | <bound> |
      Then the "outcome within" says:
        | outcome | created |

      Examples:
        | field      | beyond | bound |
        | confidence | 1.01   | 1     |
        | confidence | -0.01  | 0     |
        | confidence | 7      | 1     |
        | importance | 1.01   | 1     |
        | importance | -0.01  | 0     |

    Scenario: A ninth source is refused
      Given an empty store
      When these memories are written:
        | key  | content         | sources |
        | nine | Summer schedule | [{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"}] |
      Then the call is refused as "invalid"
      When these memories are written:
        | key   | content         | sources |
        | eight | Summer schedule | [{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"},{"kind":"web"}] |
      Then the "record eight" says:
        | sources.length | 8 |

    Scenario: Two sources of one id are refused
      Given an empty store
      When these memories are written:
        | key  | content         | sources                                                |
        | same | Summer schedule | [{"id":"s-1","kind":"web"},{"id":"s-1","kind":"file"}] |
      Then the call is refused as "invalid"
      When these memories are written:
        | key | content         | sources                                                |
        | two | Summer schedule | [{"id":"s-1","kind":"web"},{"id":"s-2","kind":"file"}] |
      Then the "record two" says:
        | sources[0].id | s-1 |
        | sources[1].id | s-2 |

    Scenario Outline: A source that is too long is refused
      Given an empty store
      When these memories are written:
        | key  | content         | sources                                         |
        | over | Summer schedule | [{"kind":"web","<field>":"{<over> times "x"}"}] |
      Then the call is refused as "invalid"
      When these memories are written:
        | key  | content         | sources                                         |
        | full | Summer schedule | [{"kind":"web","<field>":"{<full> times "x"}"}] |
      Then the "record full" says:
        | sources[0].<field>.length | <full> |

      Examples:
        | field   | over | full |
        | id      | 129  | 128  |
        | locator | 1025 | 1024 |
        | excerpt | 513  | 512  |

    Scenario Outline: A word that the design doesn't know is refused
      Given an empty store
      When these memories are written:
        | key | content         | <field>   |
        | odd | Summer schedule | <unknown> |
      Then the call is refused as "invalid"
      When these memories are written:
        | key  | content         | <field> |
        | good | Summer schedule | <known> |
      Then the "outcome good" says:
        | outcome | created |

      Examples:
        | field     | unknown | known     |
        | type      | opinion | insight   |
        | type      | Fact    | fact      |
        | scope     | team    | user      |
        | authority | system  | directive |

    Scenario Outline: A source of an unknown kind or trust is refused
      Given an empty store
      When these memories are written:
        | key | content         | sources   |
        | odd | Summer schedule | <unknown> |
      Then the call is refused as "invalid"
      When these memories are written:
        | key  | content         | sources |
        | good | Summer schedule | <known> |
      Then the "outcome good" says:
        | outcome | created |

      Examples:
        | unknown                            | known                               |
        | [{"kind":"rumour"}]                | [{"kind":"inference"}]              |
        | [{"kind":"web","trust":"hearsay"}] | [{"kind":"web","trust":"inferred"}] |

    Scenario Outline: A time that is none is refused
      Given an empty store
      When these memories are written:
        | key | content         | <field> |
        | odd | Summer schedule | <none>  |
      Then the call is refused as "invalid"
      When these memories are written:
        | key  | content         | <field>              |
        | good | Summer schedule | 2026-02-28T00:00:00Z |
      Then the "outcome good" says:
        | outcome | created |

      Examples:
        | field       | none                 |
        | created at  | yesterday            |
        | updated at  | 2026-02-30T00:00:00Z |
        | observed at | 2026-13-01T00:00:00Z |

    Scenario Outline: An unknown field is refused
      Given an empty store
      When the operation "write" is called with:
        | record | <unknown> |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | <known> |
      Then the "answer" says:
        | outcome | created |

      Examples:
        | unknown                                                           | known                                                    |
        | {"content":"Summer schedule","colour":"red"}                      | {"content":"Summer schedule"}                            |
        | {"content":"Summer schedule","sources":[{"kind":"web","page":3}]} | {"content":"Summer schedule","sources":[{"kind":"web"}]} |

    Scenario: A refused memory leaves nothing behind
      Given an empty store
      When these memories are written:
        | key   | content         | sources             |
        | draft | Summer schedule | [{"kind":"rumour"}] |
      Then the call is refused as "invalid"
      When "summer schedule" is recalled
      Then nothing is found
      When these memories are written:
        | key   | content         |
        | draft | Summer schedule |
      And "summer schedule" is recalled
      Then these are found:
        | draft |
