Feature: A store whose disk is in trouble

  @req:retrieval-foundation/a-disk-in-trouble-costs-no-other-memory @must @needs:faults
  Rule: A disk in trouble costs no other memory

    Scenario: A memory for which there is no space is refused
      Given an empty store
      And these memories are written:
        | key   | content                      |
        | tower | The bell tower has 212 steps |
      And the operation "fault" is called with:
        | name | disk-full |
      When these memories are written:
        | key  | content                            |
        | rope | The bell tower needs a longer rope |
      Then the call is refused as "unavailable"

    @needs:diagnostics @needs:durable
    Scenario: A full disk leaves nothing half-written
      Given an empty store
      And these memories are written:
        | key   | content                      |
        | tower | The bell tower has 212 steps |
      And the operation "fault" is called with:
        | name | disk-full |
      When these memories are written:
        | key  | content                            |
        | rope | The bell tower needs a longer rope |
      Then the call is refused as "unavailable"
      When the operation "fault" is called with:
        | name | disk-full |
        | on   | false     |
      And the store is restarted
      And "bell tower" is recalled
      Then these are found:
        | tower |
      And the "diagnostics" says:
        | records   | 1 |
        | malformed | 0 |

    Scenario: A full disk keeps no memory from being found
      Given an empty store
      And these memories are written:
        | key   | content                      |
        | tower | The bell tower has 212 steps |
      When the operation "fault" is called with:
        | name | disk-full |
      And "bell tower" is recalled
      Then these are found:
        | tower |

    Scenario: A refused memory can be written when there is space
      Given an empty store
      And the operation "fault" is called with:
        | name | disk-full |
      When these memories are written:
        | key  | content                            |
        | rope | The bell tower needs a longer rope |
      Then the call is refused as "unavailable"
      When the operation "fault" is called with:
        | name | disk-full |
        | on   | false     |
      And these memories are written:
        | key  | content                            |
        | rope | The bell tower needs a longer rope |
      And "bell rope" is recalled
      Then these are found:
        | rope |

    @needs:durable @needs:update
    Scenario: An update for which there is no space leaves the old text
      Given an empty store
      And these memories are written:
        | key   | content                      |
        | tower | The bell tower has 212 steps |
      And the operation "fault" is called with:
        | name | disk-full |
      When the operation "update" is called with:
        | id      | tower                        |
        | content | The bell tower has 213 steps |
      Then the call is refused as "unavailable"
      When "bell tower" is recalled
      Then the "hit tower" says:
        | content | The bell tower has 212 steps |
      When the store is restarted
      And "bell tower" is recalled
      Then the "hit tower" says:
        | content | The bell tower has 212 steps |

    Scenario: Forgetting for which there is no space is no success
      Given an empty store
      And these memories are written:
        | key   | content                      |
        | tower | The bell tower has 212 steps |
      And the operation "fault" is called with:
        | name | disk-full |
      When "tower" is forgotten
      Then the call is refused as "unavailable"
      When "bell tower" is recalled
      Then these are found:
        | tower |

    Scenario: A memory that can't be read keeps no other one from being found
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | tower | The bell tower has 212 steps       |
        | rope  | The bell tower needs a longer rope |
      When the operation "fault" is called with:
        | name | record-unreadable |
      And "bell tower" is recalled
      Then these are found:
        | tower |

    @needs:diagnostics
    Scenario: A memory that can't be read is counted
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | tower | The bell tower has 212 steps       |
        | rope  | The bell tower needs a longer rope |
      And the operation "fault" is called with:
        | name | record-unreadable |
      When "bell tower" is recalled
      Then the "diagnostics" says:
        | records   | 1 |
        | malformed | 1 |

    Scenario: A memory that can't be read is unavailable by its id
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | tower | The bell tower has 212 steps       |
        | rope  | The bell tower needs a longer rope |
      And the operation "fault" is called with:
        | name | record-unreadable |
      When the operation "get" is called with:
        | id | rope |
      Then the call is refused as "unavailable"
      When "rope" is forgotten
      Then the call is refused as "unavailable"

    Scenario: A memory that can be read again is found again
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | tower | The bell tower has 212 steps       |
        | rope  | The bell tower needs a longer rope |
      And the operation "fault" is called with:
        | name | record-unreadable |
      And "bell tower" is recalled
      When the operation "fault" is called with:
        | name | record-unreadable |
        | on   | false             |
      And "bell tower" is recalled
      Then these are found:
        | tower |
        | rope  |

    @needs:diagnostics @needs:durable @slow
    Scenario: A writer killed in mid-write loses nothing acknowledged
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | tower | The bell tower has 212 steps       |
        | rope  | The bell tower needs a longer rope |
      And the operation "fault" is called with:
        | name | writer-killed |
      When these memories are written:
        | key   | content                           |
        | first | The first owl nests in the belfry |
      Then the call is refused as "unavailable"
      When these memories are written:
        | key    | content                            |
        | second | The second owl nests in the belfry |
      Then the call is refused as "unavailable"
      When these memories are written:
        | key   | content                           |
        | third | The third owl nests in the belfry |
      Then the call is refused as "unavailable"
      When these memories are written:
        | key    | content                            |
        | fourth | The fourth owl nests in the belfry |
      Then the call is refused as "unavailable"
      When the operation "fault" is called with:
        | name | writer-killed |
        | on   | false         |
      And the store is restarted
      And these memories are written:
        | key   | content                            |
        | clock | The bell tower got a clock in 1904 |
      And "bell tower" is recalled
      Then these are found:
        | tower |
        | rope  |
        | clock |
      And the "diagnostics" says:
        | malformed | 0 |
