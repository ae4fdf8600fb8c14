Feature: A correction wins

  @req:memory-core/a-correction-wins @must
  Rule: A correction wins

    @needs:correct
    Scenario: A correction comes before the old text
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      When the operation "correct" is called with:
        | id      | old                                  |
        | key     | new                                  |
        | content | The ferry timetable changes in April |
      And "ferry timetable" is recalled
      Then "old" gives way to "new"

    @needs:correct
    Scenario: A correction made after a question comes first
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      When the operation "correct" is called with:
        | id      | old                                  |
        | key     | new                                  |
        | content | The ferry timetable changes in April |
      And "ferry timetable" is recalled
      Then "old" gives way to "new"

    @needs:correct
    Scenario: The exact words of the old text put the correction first
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And "The ferry timetable changes in March" is recalled
      When the operation "correct" is called with:
        | id      | old                                          |
        | key     | new                                          |
        | content | As of now the ferry timetable changes in May |
      And "The ferry timetable changes in March" is recalled
      Then "old" gives way to "new"

    @needs:correct
    Scenario: A limit of one keeps the correction
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And "The ferry timetable changes in March" is recalled
      When the operation "correct" is called with:
        | id      | old                                          |
        | key     | new                                          |
        | content | As of now the ferry timetable changes in May |
      And "The ferry timetable changes in March" is recalled with:
        | limit | 1 |
      Then these are found:
        | new |

    @needs:correct
    Scenario: The old record names its correction
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      When the operation "correct" is called with:
        | id      | old                                  |
        | key     | new                                  |
        | content | The ferry timetable changes in April |
      Then the "record old" says:
        | state        | superseded |
        | supersededBy | key:new    |
      And the "record new" says:
        | state        | active                               |
        | supersededBy | null                                 |
        | content      | The ferry timetable changes in April |

    @needs:correct
    Scenario: A correction shows on every surface
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      When the operation "correct" is called with:
        | id      | old                                  |
        | key     | new                                  |
        | content | The ferry timetable changes in April |
      Then "new" is seen on every surface with:
        | query | ferry timetable |

    @needs:context @needs:correct
    Scenario: A correction leads the context
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And the operation "context" is called with:
        | query | The ferry timetable changes in March |
      When the operation "correct" is called with:
        | id      | old                                          |
        | key     | new                                          |
        | content | As of now the ferry timetable changes in May |
      And the operation "context" is called with:
        | query | The ferry timetable changes in March |
      Then the "answer" says:
        | ids[0] | key:new |

    @needs:correct
    Scenario: The last of two corrections comes first
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And the operation "correct" is called with:
        | id      | old                                  |
        | key     | mid                                  |
        | content | The ferry timetable changes in April |
      And "ferry timetable" is recalled
      When the operation "correct" is called with:
        | id      | mid                                |
        | key     | new                                |
        | content | The ferry timetable changes in May |
      And "ferry timetable" is recalled
      Then "mid" gives way to "new"
      And the "answer" says:
        | hits[0].id | key:new |
      And the "record old" says:
        | state | superseded |
      And the "record mid" says:
        | state | superseded |

    @needs:correct
    Scenario: A write after it leaves a correction in force
      Given an empty store
      And these memories are written:
        | key | content                       |
        | old | The ferry leaves from pier 34 |
      And the operation "correct" is called with:
        | id      | old                           |
        | content | The ferry leaves from pier 71 |
        | key     | new                           |
      When these memories are written:
        | key    | content                     |
        | bakery | Olga runs the corner bakery |
      And "ferry leaves from pier" is recalled
      Then "old" gives way to "new"

    @needs:correct
    Scenario: A correction written in Chinese comes first
      Given an empty store
      And these memories are written:
        | key | content            |
        | old | 渡轮时刻表三月调整 |
      And "渡轮时刻表" is recalled
      When the operation "correct" is called with:
        | id      | old                |
        | key     | new                |
        | content | 渡轮时刻表四月调整 |
      And "渡轮时刻表" is recalled
      Then "old" gives way to "new"

    @needs:supersede
    Scenario: A superseded memory gives way
      Given an empty store
      And these memories are written:
        | key | content                               |
        | old | The ferry timetable changes in March  |
        | new | Autumn brings another ferry timetable |
      And "ferry timetable" is recalled
      When the operation "supersede" is called with:
        | id | old |
        | by | new |
      And "ferry timetable" is recalled
      Then "old" gives way to "new"

    @needs:supersede
    Scenario: A memory written as a successor comes first
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      When these memories are written:
        | key | content                               | supersedes |
        | new | Autumn brings another ferry timetable | old        |
      And "ferry timetable" is recalled
      Then "old" gives way to "new"

    @needs:correct @needs:shared
    Scenario: Another connection puts the correction first
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      And the second connection is used
      And "ferry timetable" is recalled
      And the first connection is used
      When the operation "correct" is called with:
        | id      | old                                  |
        | key     | new                                  |
        | content | The ferry timetable changes in April |
      And the second connection is used
      And "ferry timetable" is recalled
      Then "old" gives way to "new"

    @needs:correct @needs:durable
    Scenario: A restart keeps the correction first
      Given an empty store
      And these memories are written:
        | key | content                              |
        | old | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      And the operation "correct" is called with:
        | id      | old                                  |
        | key     | new                                  |
        | content | The ferry timetable changes in April |
      When the store is restarted
      And "ferry timetable" is recalled
      Then "old" gives way to "new"
