Feature: A hit can be acted on

  @req:memory-core/a-hit-can-be-acted-on @must
  Rule: A hit can be acted on

    Scenario: A hit names its id and its state
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When "crane brakes" is recalled
      Then the "hit crane" says:
        | id           | key:crane                          |
        | state        | active                             |
        | content      | The harbour crane needs new brakes |
        | supersededBy | null                               |

    Scenario: The id of a hit leads to the memory
      Given an empty store
      And these memories are written:
        | key   | content                                   |
        | older | The harbour crane needs new brakes        |
        | newer | Marta painted the harbour crane on Friday |
      And "harbour crane" is recalled
      When the operation "get" is called with:
        | id | newer |
      Then the "answer" says:
        | record.id      | key:newer                                 |
        | record.state   | active                                    |
        | record.content | Marta painted the harbour crane on Friday |

    Scenario: The id of a hit forgets that memory alone
      Given an empty store
      And these memories are written:
        | key   | content                                   |
        | older | The harbour crane needs new brakes        |
        | newer | Marta painted the harbour crane on Friday |
      And "harbour crane" is recalled
      When "older" is forgotten
      Then the "answer" says:
        | done | true |
      And the "record older" says:
        | state | forgotten |
      And the "record newer" says:
        | state | active |

    @needs:correct
    Scenario: The id of a hit takes a correction
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      When the operation "correct" is called with:
        | id      | old                                  |
        | key     | new                                  |
        | content | The ferry timetable changes in April |
      Then the "record old" says:
        | state        | superseded |
        | supersededBy | key:new    |

    @needs:tags
    Scenario: A hit shows its tags
      Given an empty store
      And these memories are written:
        | key   | content                                   | tags           |
        | older | The harbour crane needs new brakes        | repair, urgent |
        | newer | Marta painted the harbour crane on Friday | colour         |
      When "harbour crane" is recalled
      Then the "hit older" says:
        | tags | ["repair", "urgent"] |
      And the "hit newer" says:
        | tags | ["colour"] |

    @needs:confidence
    Scenario Outline: A hit shows its confidence
      Given an empty store
      And these memories are written:
        | key   | content                            | confidence   |
        | crane | The harbour crane needs new brakes | <confidence> |
      When "crane brakes" is recalled
      Then the "hit crane" says:
        | confidence | <confidence> |

      Examples:
        | confidence |
        | 0.25       |
        | 0.95       |
        | 1          |

    @needs:batch @needs:tags
    Scenario: Each memory of a batch shows its own tags
      Given an empty store
      And these memories are written in one batch:
        | key    | content                                   | tags           |
        | repair | The harbour crane needs new brakes        | repair, urgent |
        | paint  | Marta painted the harbour crane on Friday | colour         |
        | plain  | Gulls nest on the harbour crane           |                |
      When "harbour crane" is recalled
      Then the "hit repair" says:
        | tags | ["repair", "urgent"] |
      And the "hit paint" says:
        | tags | ["colour"] |
      And the "hit plain" says:
        | tags | [] |

    @needs:batch @needs:confidence
    Scenario: Each memory of a batch shows its own confidence
      Given an empty store
      And these memories are written in one batch:
        | key    | content                                   | confidence |
        | repair | The harbour crane needs new brakes        | 0.95       |
        | paint  | Marta painted the harbour crane on Friday | 0.35       |
      When "harbour crane" is recalled
      Then the "hit repair" says:
        | confidence | 0.95 |
      And the "hit paint" says:
        | confidence | 0.35 |

    @needs:tags @needs:update
    Scenario: A hit shows the tags of an update
      Given an empty store
      And these memories are written:
        | key   | content                            | tags   |
        | crane | The harbour crane needs new brakes | repair |
      And "crane brakes" is recalled
      When the operation "update" is called with:
        | id   | crane    |
        | tags | ["done"] |
      And "crane brakes" is recalled
      Then the "hit crane" says:
        | tags | ["done"] |

    @needs:listing @needs:tags
    Scenario: A listed memory can be acted on too
      Given an empty store
      And these memories are written:
        | key   | content                              | tags           |
        | crane | The harbour crane needs new brakes   | repair, urgent |
        | ferry | The ferry timetable changes in March |                |
      When the operation "list_records" is called with:
        | access | {} |
      Then the "hit crane" says:
        | id      | key:crane                          |
        | state   | active                             |
        | content | The harbour crane needs new brakes |
        | tags    | ["repair", "urgent"]               |
      And the "hit ferry" says:
        | id      | key:ferry                            |
        | state   | active                               |
        | content | The ferry timetable changes in March |
        | tags    | []                                   |

    Scenario: A memory shows on every surface
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | ferry | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      When these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      Then "crane" is seen on every surface with:
        | query | crane brakes |
