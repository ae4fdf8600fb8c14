Feature: Forgotten is gone at once and everywhere

  The surfaces are those that the store declares: recall, list, context, get.

  @req:memory-core/forgotten-is-gone-at-once-and-everywhere @must
  Rule: Forgotten is gone at once and everywhere

    Scenario: A forgotten memory is not found
      Given an empty store
      And these memories are written:
        | key   | content                                   |
        | older | The harbour crane needs new brakes        |
        | newer | Marta painted the harbour crane on Friday |
      When "older" is forgotten
      And "harbour crane" is recalled
      Then these are found:
        | newer |

    Scenario: The question that found a memory finds it no more
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      When "crane" is forgotten
      And "crane brakes" is recalled
      Then nothing is found

    Scenario: A write after it brings no forgotten memory back
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      When "crane" is forgotten
      And these memories are written:
        | key    | content                     |
        | bakery | Olga runs the corner bakery |
      And "crane brakes" is recalled
      Then "crane" is not found

    Scenario: A new question does not find a forgotten memory
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      When "crane" is forgotten
      And "harbour" is recalled
      Then nothing is found

    Scenario: A forgotten memory shows on no surface
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | crane | The harbour crane needs new brakes   |
        | ferry | The ferry timetable changes in March |
      And "crane brakes" is recalled
      When "crane" is forgotten
      Then "crane" is seen on no surface with:
        | query | crane brakes |

    Scenario: A forgotten memory leaves its state and no content
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When "crane" is forgotten
      And the operation "get" is called with:
        | id | crane |
      Then the "answer" says:
        | record.id      | key:crane |
        | record.state   | forgotten |
        | record.content | null      |

    Scenario: A forgotten Chinese memory shows on no surface
      Given an empty store
      And these memories are written:
        | key   | content                |
        | crane | 港口起重机需要更换刹车 |
        | ferry | 渡轮时刻表三月调整     |
      And "起重机刹车" is recalled
      When "crane" is forgotten
      Then "crane" is seen on no surface with:
        | query | 起重机刹车 |

    Scenario: A forgotten memory takes no place in the limit
      Given an empty store
      And these memories are written:
        | key    | content                                                      |
        | first  | Harbour crane brakes arrive today                            |
        | second | Squeaking harbour crane brakes worry Olga                    |
        | left   | Marta wrote a long letter about the old harbour crane brakes |
      And "harbour crane brakes" is recalled
      And "first" is forgotten
      And "second" is forgotten
      When "harbour crane brakes" is recalled with:
        | limit | 1 |
      Then these are found:
        | left |

    @needs:batch
    Scenario: A memory of a batch is forgotten like any other
      Given an empty store
      And these memories are written in one batch:
        | key   | content                                   |
        | older | The harbour crane needs new brakes        |
        | newer | Marta painted the harbour crane on Friday |
      And "harbour crane" is recalled
      When "newer" is forgotten
      And "harbour crane" is recalled
      Then these are found:
        | older |

    Scenario: The same text written again is found
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      And "crane" is forgotten
      When these memories are written:
        | key   | content                            |
        | again | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      Then these are found:
        | again |

    @needs:shared
    Scenario: Another connection finds a forgotten memory no more
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      And the second connection is used
      And "crane brakes" is recalled
      And the first connection is used
      When "crane" is forgotten
      And the second connection is used
      And "crane brakes" is recalled
      Then nothing is found

    @needs:shared
    Scenario: Another connection shows a forgotten memory on no surface
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      And the second connection is used
      And "crane brakes" is recalled
      And the first connection is used
      When "crane" is forgotten
      And the second connection is used
      Then "crane" is seen on no surface with:
        | query | crane brakes |

    @needs:durable
    Scenario: A restart does not bring a forgotten memory back
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      And "crane" is forgotten
      When the store is restarted
      Then "crane" is seen on no surface with:
        | query | crane brakes |

    @needs:update
    Scenario Outline: A forgotten version of an updated memory stays gone
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | crane | The crane driver is Marta |
      And "crane driver" is recalled
      And the operation "update" is called with:
        | id      | crane                      |
        | content | The crane driver is Henrik |
      And "crane driver" is recalled
      When "crane" is forgotten
      And "<word>" is recalled
      Then nothing is found

      Examples:
        | word         |
        | Marta        |
        | Henrik       |
        | crane driver |

    @needs:mask
    Scenario: A masked text shows on no surface
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      When the operation "mask" is called with:
        | id | crane |
      Then "crane" is seen on no surface with:
        | query | crane brakes |
      And the "record crane" says:
        | state | masked |

    @needs:purge
    Scenario: A purged memory shows on no surface
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      When the operation "purge" is called with:
        | id | crane |
      Then "crane" is seen on no surface with:
        | query | crane brakes |

    @needs:clock @needs:validity
    Scenario: An expired memory shows on no surface
      Given an empty store with:
        | clock | 2026-03-01T09:00:00Z |
      And these memories are written:
        | key   | content                            | expires at           |
        | crane | The harbour crane needs new brakes | 2026-03-01T12:00:00Z |
      And "crane brakes" is recalled
      When the clock shows "2026-03-01T12:00:00Z"
      Then "crane" is seen on no surface with:
        | query | crane brakes |

    @needs:clock @needs:validity
    Scenario: A memory shows until it expires
      Given an empty store with:
        | clock | 2026-03-01T09:00:00Z |
      And these memories are written:
        | key   | content                            | expires at           |
        | crane | The harbour crane needs new brakes | 2026-03-01T12:00:00Z |
      And "crane brakes" is recalled
      When the clock shows "2026-03-01T11:59:00Z"
      Then "crane" is seen on every surface with:
        | query | crane brakes |

    @needs:disable
    Scenario: A disabled memory shows on no surface
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      When the operation "disable" is called with:
        | id | crane |
      Then "crane" is seen on no surface with:
        | query | crane brakes |

    @needs:disable
    Scenario: An enabled memory shows on every surface again
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      And the operation "disable" is called with:
        | id | crane |
      And "crane brakes" is recalled
      When the operation "enable" is called with:
        | id | crane |
      Then "crane" is seen on every surface with:
        | query | crane brakes |
