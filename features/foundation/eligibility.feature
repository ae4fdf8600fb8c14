Feature: Foundation purpose and filters
  What of the active records is meant: by the purpose of a call, and by what the caller asks for.

  @req:retrieval-foundation/directives-stay-out-of-evidence @must
  Rule: Directives stay out of evidence

    @needs:purpose
    Scenario: A directive is not injected
      Given an empty store
      And these memories are written:
        | key  | content                    | authority |
        | rule | Answer in short sentences! | directive |
        | note | Answer in short sentences  | reference |
      When "answer in short sentences" is recalled with:
        | purpose | injection |
      Then these are found:
        | note |

    @needs:trace
    Scenario: Injection is the default purpose
      Given an empty store
      And these memories are written:
        | key  | content                         | authority |
        | rule | Answer in short sentences       | directive |
        | note | Answers come in short sentences | reference |
      When "answer in short sentences" is recalled with:
        | trace | true |
      Then these are found:
        | note |
      And the "trace" says:
        | candidateCount      | 1 |
        | filtered.scope      | 0 |
        | filtered.lifecycle  | 0 |
        | filtered.irrelevant | 0 |

    @needs:purpose
    Scenario: A tool sees the directive
      Given an empty store
      And these memories are written:
        | key  | content                         | authority |
        | rule | Answer in short sentences       | directive |
        | note | Answers come in short sentences | reference |
      When "answer in short sentences" is recalled with:
        | purpose | tool |
      Then these are found:
        | rule |
        | note |

    @needs:purpose
    Scenario: A tool sees no unrelated directive
      Given an empty store
      And these memories are written:
        | key  | content                   | authority |
        | rule | Answer in short sentences | directive |
      When "tomato harvest" is recalled with:
        | purpose | tool |
      Then nothing is found
      When "short sentences" is recalled with:
        | purpose | tool |
      Then these are found:
        | rule |

    Scenario: A directive takes no place in the limit
      Given an empty store
      And these memories are written:
        | key  | content                     | authority |
        | rule | Answer in short sentences   | directive |
        | note | Answers come in short lines | reference |
      When "answer in short sentences" is recalled with:
        | limit | 1 |
      Then these are found:
        | note |

    @needs:context
    Scenario: The context holds no directive
      Given an empty store
      And these memories are written:
        | key  | content                         | authority |
        | rule | Answer in short sentences       | directive |
        | note | Answers come in short sentences | reference |
      When the operation "context" is called with:
        | query | answer in short sentences |
      Then the "answer" says:
        | ids  | ["key:note"]                               |
        | text | containing Answers come in short sentences |
        | text | without Answer in short sentences          |

  @req:retrieval-foundation/a-caller-s-filters-narrow-what-is-ranked @must @needs:filters
  Rule: A caller's filters narrow what is ranked

    Scenario: A type filter fills the limit with its type
      Given an empty store
      And these memories are written:
        | key   | content                           | type     | importance |
        | one   | The ferry leaves at six           | fact     | 0.9        |
        | two   | The ferry leaves at ten           | fact     | 0.9        |
        | three | The ferry leaves at two           | fact     | 0.9        |
        | chose | We take the ferry, leaves or rain | decision | 0.1        |
      When "ferry leaves" is recalled with:
        | types | decision |
        | limit | 1        |
      Then these are found:
        | chose |

    Scenario: Of several types each is let through
      Given an empty store
      And these memories are written:
        | key   | content                 | type     |
        | knew  | The ferry leaves at six | fact     |
        | chose | The ferry leaves at ten | decision |
        | went  | The ferry leaves at two | episode  |
      When "ferry leaves" is recalled with:
        | types | decision, episode |
      Then these are found:
        | chose |
        | went  |

    Scenario Outline: A scope filter narrows to a scope
      Given an empty store
      And these memories are written:
        | key       | content                 | scope     |
        | user      | The ferry leaves at six | user      |
        | workspace | The ferry leaves at ten | workspace |
      When "ferry leaves" is recalled with:
        | scopes | <scope> |
      Then these are found:
        | <scope> |

      Examples:
        | scope     |
        | user      |
        | workspace |

    @needs:purpose
    Scenario Outline: An authority filter narrows to an authority
      Given an empty store
      And these memories are written:
        | key       | content                 | authority |
        | directive | The ferry leaves at six | directive |
        | reference | The ferry leaves at ten | reference |
      When "ferry leaves" is recalled with:
        | authorities | <authority> |
        | purpose     | tool        |
      Then these are found:
        | <authority> |

      Examples:
        | authority |
        | directive |
        | reference |

    @needs:purpose
    Scenario: No filter brings a directive into an injection
      Given an empty store
      And these memories are written:
        | key  | content                 | authority |
        | rule | The ferry leaves at six | directive |
      When "ferry leaves" is recalled with:
        | authorities | directive |
        | purpose     | injection |
      Then nothing is found
      When "ferry leaves" is recalled with:
        | authorities | directive |
        | purpose     | tool      |
      Then these are found:
        | rule |

    Scenario: All filters must hold
      Given an empty store
      And these memories are written:
        | key    | content                 | scope     | type     |
        | knew   | The ferry leaves at six | user      | fact     |
        | chose  | The ferry leaves at ten | user      | decision |
        | theirs | The ferry leaves at two | workspace | decision |
      When "ferry leaves" is recalled with:
        | scopes | user     |
        | types  | decision |
      Then these are found:
        | chose |

    @needs:trace @level:explain
    Scenario: What a filter leaves out is no candidate
      Given an empty store
      And these memories are written:
        | key   | content                 | type     |
        | one   | The ferry leaves at six | fact     |
        | two   | The ferry leaves at ten | fact     |
        | chose | The ferry leaves at two | decision |
      When "ferry leaves" is recalled with:
        | types | decision |
        | trace | true     |
      Then the "trace" says:
        | candidateCount      | 1 |
        | rankings.length     | 1 |
        | filtered.scope      | 0 |
        | filtered.lifecycle  | 0 |
        | filtered.irrelevant | 0 |

    Scenario: A filter lets nothing unrelated in
      Given an empty store
      And these memories are written:
        | key   | content                  | type     |
        | knew  | The ferry leaves at six  | fact     |
        | chose | Blue tins for the pantry | decision |
      When "ferry leaves" is recalled with:
        | types | decision |
      Then nothing is found
