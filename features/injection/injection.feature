Feature: From a question to a prompt

  @req:context-injection/the-budget-of-a-prompt-holds @must
  Rule: The budget of a prompt holds

    @needs:context @needs:budget @needs:tags
    Scenario Outline: No text costs more than its budget
      Given an empty store
      And these memories are written:
        | key   | content                                                | type       | tags       |
        | nuts  | The guest must not be served any peanuts               | fact       | constraint |
        | tea   | Prefers green tea to coffee in the morning             | preference |            |
        | visa  | Waits for the visa to be stamped at the gate office    | fact       | open-item  |
        | key   | Waits for the second gate key from the locksmith       | fact       | open-item  |
        | gate  | The gate alarm of the garden was replaced on a Tuesday | fact       |            |
        | lamp  | The gate lamp is switched on when the alarm is armed   | fact       |            |
      When the operation "context" is called with:
        | query  | what about the gate alarm |
        | budget | <budget>                  |
      Then the "answer" says:
        | text.length | at most <characters> |

      Examples:
        | budget | characters |
        | 0      | 0          |
        | 20     | 80         |
        | 60     | 240        |
        | 110    | 440        |
        | 190    | 760        |
        | 400    | 1600       |

    @needs:context @needs:budget
    Scenario: A memory is whole or not there
      Given an empty store
      And these memories are written:
        | key  | content |
        | gate | The gate alarm of the garden is armed from ten to six. It was replaced on a Tuesday by the company that also serves the warehouse, the harbour office and both of the northern piers, and it is tested on the first day of each month |
      When the operation "context" is called with:
        | query  | gate alarm |
        | budget | 160        |
      Then the "answer" says:
        | text | without armed from ten to six |
        | ids  | []                            |

  @req:context-injection/the-profile-is-always-there @must
  Rule: The profile is always there

    @needs:context @needs:tags
    Scenario: A constraint is there for an unrelated question
      Given an empty store
      And these memories are written:
        | key  | content                                  | tags       |
        | nuts | The guest must not be served any peanuts | constraint |
        | gate | The gate alarm was replaced on a Tuesday |            |
      When the operation "context" is called with:
        | query | when was the gate alarm replaced |
      Then the "answer" says:
        | text | containing must not be served any peanuts |
        | text | containing replaced on a Tuesday          |

    @needs:context @needs:tags @needs:budget
    Scenario: A preference gives way to a constraint
      Given an empty store
      And these memories are written:
        | key  | content                                                        | type       | tags       |
        | tea  | Prefers green tea to coffee, in the morning and in the evening | preference |            |
        | nuts | The guest must not be served any peanuts or any almonds at all | fact       | constraint |
      When the operation "context" is called with:
        | query  | what about the gate |
        | budget | 130                 |
      Then the "answer" says:
        | text | containing peanuts |
        | text | without green tea  |

  @req:context-injection/no-account-lends-to-another @must
  Rule: No account lends to another

    @needs:context @needs:tags @needs:budget @needs:clock @level:exact
    Scenario: Open items do not take what the others leave
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key   | content                                                       | tags      | updated at           |
        | visa  | Waits for the visa to be stamped at the office of the harbour | open-item | 2025-03-01T00:00:00Z |
        | key   | Waits for the second key of the gate from the old locksmith   | open-item | 2025-05-01T00:00:00Z |
        | roof  | Waits for the roofer to send his offer for the south side     | open-item | 2025-04-01T00:00:00Z |
      When the operation "context" is called with:
        | query  | how do I bake a soufflé |
        | budget | 200                     |
      Then the "answer" says:
        | ids  | ["key:key"]    |
        | text | without visa   |
        | text | without roofer |

    @needs:context @needs:tags @needs:budget @needs:clock @level:exact
    Scenario: With a larger budget all open items are there
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key   | content                                                       | tags      | updated at           |
        | visa  | Waits for the visa to be stamped at the office of the harbour | open-item | 2025-03-01T00:00:00Z |
        | key   | Waits for the second key of the gate from the old locksmith   | open-item | 2025-05-01T00:00:00Z |
        | roof  | Waits for the roofer to send his offer for the south side     | open-item | 2025-04-01T00:00:00Z |
      When the operation "context" is called with:
        | query  | how do I bake a soufflé |
        | budget | 600                     |
      Then the "answer" says:
        | ids | ["key:key", "key:roof", "key:visa"] |

  @req:context-injection/the-context-keeps-to-the-floor-and-to-what-holds @must
  Rule: The context keeps to the floor and to what holds

    @needs:context @needs:tags
    Scenario: A method is there only where it applies
      Given an empty store
      And these memories are written:
        | key  | content                                | type    | tags  |
        | way  | Ask the porter to open the gate by hand | insight |       |
        | roof | Never paint a wet roof                 | insight | taboo |
      When the operation "context" is called with:
        | query | how is the gate opened |
      Then the "answer" says:
        | text | containing Ask the porter |
        | text | without wet roof          |

    @needs:context @needs:correct
    Scenario: A corrected memory is not injected
      Given an empty store
      And these memories are written:
        | key | content                       |
        | old | The meeting is held on Monday |
      And the operation "correct" is called with:
        | id      | old                            |
        | content | The meeting is held on Tuesday |
        | key     | new                            |
      When the operation "context" is called with:
        | query | when is the meeting held |
      Then the "answer" says:
        | text | containing on Tuesday |
        | text | without on Monday     |

    @needs:context @level:exact
    Scenario: What says nothing new goes last
      Given an empty store
      And these memories are written:
        | key   | content                          |
        | first | Gate alarm code                  |
        | twin  | Alarm code gate                  |
        | other | The gate has a lamp and a mirror |
      When the operation "context" is called with:
        | query | gate alarm code |
      Then the "answer" says:
        | ids[1] | key:other |
