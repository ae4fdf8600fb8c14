Feature: Nothing acknowledged is lost

  @req:memory-core/nothing-acknowledged-is-lost @must
  Rule: Nothing acknowledged is lost

    Scenario: An acknowledged memory can be read at once
      Given an empty store
      When these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      Then the "outcome crane" says:
        | outcome | created |
      And the "record crane" says:
        | state   | active                             |
        | content | The harbour crane needs new brakes |

    @needs:durable
    Scenario: A restart keeps a memory
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the store is restarted
      And "crane brakes" is recalled
      Then the "hit crane" says:
        | content | The harbour crane needs new brakes |

    @needs:durable
    Scenario: A restart keeps a memory written after a question
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | ferry | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the store is restarted
      And "crane brakes" is recalled
      Then the "hit crane" says:
        | content | The harbour crane needs new brakes |

    @needs:batch @needs:durable
    Scenario: A restart keeps every memory of a batch
      Given an empty store
      And these memories are written in one batch:
        | key    | content                                   |
        | repair | The harbour crane needs new brakes        |
        | paint  | Marta painted the harbour crane on Friday |
        | gulls  | Gulls nest on the harbour crane           |
      When the store is restarted
      And "harbour crane" is recalled
      Then these are found:
        | repair |
        | paint  |
        | gulls  |

    @needs:durable @needs:update
    Scenario: A restart keeps an update
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | crane | The crane driver is Marta |
      And the operation "update" is called with:
        | id      | crane                      |
        | content | The crane driver is Henrik |
      When the store is restarted
      And "Henrik" is recalled
      Then the "hit crane" says:
        | content | The crane driver is Henrik |

    @needs:confidence @needs:durable @needs:tags
    Scenario: A restart keeps tags and confidence
      Given an empty store
      And these memories are written:
        | key   | content                            | tags           | confidence |
        | crane | The harbour crane needs new brakes | repair, urgent | 0.35       |
      When the store is restarted
      Then the "record crane" says:
        | tags       | ["repair", "urgent"] |
        | confidence | 0.35                 |

    @needs:durable
    Scenario: A memory written after a restart joins the old ones
      Given an empty store
      And these memories are written:
        | key    | content                            |
        | repair | The harbour crane needs new brakes |
      And the store is restarted
      When these memories are written:
        | key   | content                                   |
        | paint | Marta painted the harbour crane on Friday |
      And "harbour crane" is recalled
      Then these are found:
        | repair |
        | paint  |

    @needs:durable
    Scenario: Two restarts lose nothing
      Given an empty store
      And these memories are written:
        | key    | content                            |
        | repair | The harbour crane needs new brakes |
      And the store is restarted
      And these memories are written:
        | key   | content                                   |
        | paint | Marta painted the harbour crane on Friday |
      When the store is restarted
      And "harbour crane" is recalled
      Then these are found:
        | repair |
        | paint  |

    @needs:shared
    Scenario: Another connection finds a memory
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the second connection is used
      And "crane brakes" is recalled
      Then these are found:
        | crane |

    @needs:shared
    Scenario: Another warm connection finds a memory
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | ferry | The ferry timetable changes in March |
      And the second connection is used
      And "ferry timetable" is recalled
      And the first connection is used
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the second connection is used
      And "crane brakes" is recalled
      Then these are found:
        | crane |

    @needs:shared
    Scenario Outline: Two writers in turn lose nothing
      Given an empty store
      And these memories are written:
        | key    | content                            |
        | repair | The harbour crane needs new brakes |
      And the second connection is used
      And these memories are written:
        | key   | content                                   |
        | paint | Marta painted the harbour crane on Friday |
      And the first connection is used
      And these memories are written:
        | key   | content                         |
        | gulls | Gulls nest on the harbour crane |
      And the second connection is used
      And these memories are written:
        | key  | content                                   |
        | sold | Somebody offered to buy the harbour crane |
      When the <which> connection is used
      And "harbour crane" is recalled
      Then these are found:
        | repair |
        | paint  |
        | gulls  |
        | sold   |

      Examples:
        | which  |
        | first  |
        | second |

    @needs:durable @needs:shared
    Scenario: Two writers and a restart lose nothing
      Given an empty store
      And these memories are written:
        | key    | content                            |
        | repair | The harbour crane needs new brakes |
      And the second connection is used
      And these memories are written:
        | key   | content                                   |
        | paint | Marta painted the harbour crane on Friday |
      And the first connection is used
      And these memories are written:
        | key   | content                         |
        | gulls | Gulls nest on the harbour crane |
      When the store is restarted
      And "harbour crane" is recalled
      Then these are found:
        | repair |
        | paint  |
        | gulls  |

    @slow
    Scenario: The last of ten thousand memories is found
      Given an empty store
      And 10000 memories are written like "Pallet (n) waits at the northern gate"
      When "10000" is recalled
      Then "n10000" is found
      When "5003" is recalled
      Then "n5003" is found
      When "17" is recalled
      Then "n17" is found
