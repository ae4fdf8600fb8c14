Feature: Foundation records
  What a memory is before anybody asks for it.

  @req:retrieval-foundation/records-get-typed-defaults @must
  Rule: Records get typed defaults

    Scenario: A plain text becomes an active fact
      Given an empty store
      When these memories are written:
        | key   | content                      |
        | plain | The kettle takes two minutes |
      Then the "record plain" says:
        | state      | active |
        | type       | fact   |
        | confidence | 1      |

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
    Scenario: Of two tags the order of the types decides
      Given an empty store
      When these memories are written:
        | key  | content            | tags                |
        | both | Two spoons, no ice | insight, preference |
      Then the "record both" says:
        | type | preference              |
        | tags | ["insight","preference"] |

    @needs:trace
    Scenario: A file weighs more than a web page
      Given an empty store
      And these memories are written:
        | key  | content                          | sources          |
        | page | The kettle boils in four minutes | [{"kind":"web"}]  |
        | file | The kettle boils in four minutes. | [{"kind":"file"}] |
      When "kettle boils in four minutes" is recalled with:
        | trace | true |
      Then these are found in order:
        | file |
        | page |
      And the "trace" says:
        | rankings[file].features.importance | 0.6 |
        | rankings[page].features.importance | 0.4 |

  @req:retrieval-foundation/contradictory-drafts-are-refused @must @needs:validity
  Rule: Contradictory drafts are refused

    Scenario: Validity that ends before it begins is refused
      Given an empty store
      When these memories are written:
        | key  | content         | valid from           | valid to             |
        | back | Summer schedule | 2026-06-01T00:00:00Z | 2026-05-01T00:00:00Z |
      Then the call is refused as "invalid"

    Scenario: Validity of one instant is accepted
      Given an empty store
      When these memories are written:
        | key | content         | valid from           | valid to             |
        | one | Summer schedule | 2026-06-01T00:00:00Z | 2026-06-01T00:00:00Z |
      Then the "outcome one" says:
        | outcome | created |

    Scenario: A lifetime beside an expiry is refused
      Given an empty store
      When these memories are written:
        | key  | content         | expires at           | ttl ms |
        | both | Summer schedule | 2026-06-01T00:00:00Z | 1000   |
      Then the call is refused as "invalid"
