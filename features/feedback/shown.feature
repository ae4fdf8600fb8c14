Feature: What was shown
  The operation retrieval_feedback switches the feedback, names the turn of the contexts that follow, brings
  events, and tells what is there.

  @req:retrieval-feedback/off-until-it-is-switched-on @must
  Rule: Off until it is switched on

    @needs:retrieval-feedback @needs:context
    Scenario: A new store writes no event
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | thread id | thread-1 |
        | turn id   | turn-1   |
      When the operation "context" is called with:
        | query | ferry runs daily |
      Then the "answer" says:
        | ids | ["key:ferry"] |
      When the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | state  | off |
        | events | []  |
        | counts | []  |

    @needs:retrieval-feedback @needs:context
    Scenario: Switched off again no event is written
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      When the operation "retrieval_feedback" is called with:
        | state     | off      |
        | thread id | thread-1 |
        | turn id   | turn-2   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | state            | off    |
        | events.length    | 1      |
        | events[0].turnId | turn-1 |

    @needs:retrieval-feedback
    Scenario: An unknown state is refused
      Given an empty store
      And the operation "retrieval_feedback" is called with:
        | state | on |
      When the operation "retrieval_feedback" is called with:
        | state | loud |
      Then the call is refused as "invalid"
      When the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | state | on |

  @req:retrieval-feedback/one-event-for-each-memory-that-went-in-whole @must
  Rule: One event for each memory that went in whole

    @needs:retrieval-feedback @needs:context
    Scenario: Each memory of a context has its event
      Given an empty store
      And these memories are written:
        | key    | content                   |
        | ferry  | The ferry runs daily      |
        | barge  | The ferry carries a barge |
        | bakery | Olga runs a bakery        |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      When the operation "context" is called with:
        | query | ferry |
      And the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | state                  | on        |
        | events.length          | 2         |
        | events[ferry].kind     | retrieved |
        | events[ferry].threadId | thread-1  |
        | events[ferry].turnId   | turn-1    |
        | events[barge].kind     | retrieved |
        | events[barge].threadId | thread-1  |
        | events[barge].turnId   | turn-1    |
        | counts.length          | 2         |
        | counts[ferry].count    | 1         |
        | counts[barge].count    | 1         |

    # The first 32 digits of the SHA-256 of ["thread-1","turn-1","mem-1"] and the like, in UTF-8.
    @needs:retrieval-feedback @level:exact
    Scenario Outline: The id of an event can be worked out by hand
      Given an empty store
      When the operation "retrieval_feedback" is called with:
        | state  | on                                                                |
        | events | [{"threadId": <thread>, "turnId": "turn-1", "memoryId": "mem-1"}] |
      Then the "answer" says:
        | results[0].id      | feedback-retrieved-<digest> |
        | results[0].outcome | recorded                    |
        | events[0].id       | feedback-retrieved-<digest> |

      Examples:
        | thread         | digest                           |
        | "thread-1"     | 7a3b9f4c825228f90c68154d8d9d2b5b |
        | "线程-1"       | 26d935744d787dcbf6bc8ed4a45e26b1 |
        | "say \\"hi\\"" | 820a3c2f35338cdaa7ac40022c535e57 |

    @needs:retrieval-feedback @needs:context
    Scenario: A memory that was cut has no event
      Given an empty store
      And these memories are written:
        | key   | content                          |
        | ferry | The ferry {7000 times "x"} daily |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      When the operation "context" is called with:
        | query | ferry daily |
      And the answer is kept
      Then the "answer" says:
        | cut | by overflow: cut ["key:ferry"], leave-out [], capsule [] |
      When the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | events.length | {kept:ids.length} |

    @needs:retrieval-feedback @needs:context
    Scenario: The same turn again writes nothing new
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      When the operation "context" is called with:
        | query | ferry daily |
      And the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | events.length       | 1 |
        | counts[ferry].count | 1 |

    @needs:retrieval-feedback @needs:context
    Scenario: The next turn writes an event of its own
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-2   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      When the operation "retrieval_feedback" is called with:
        | thread id | thread-1 |
        | turn id   | turn-1   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | events.length       | 2      |
        | events[0].turnId    | turn-2 |
        | events[1].turnId    | turn-1 |
        | counts.length       | 1      |
        | counts[ferry].count | 2      |

    @needs:retrieval-feedback @needs:context
    Scenario: Without a turn no event is written
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | state | on |
      When the operation "context" is called with:
        | query | ferry runs daily |
      Then the "answer" says:
        | ids | ["key:ferry"] |
      When the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | state  | on |
        | events | [] |

    @needs:retrieval-feedback @needs:diagnostics
    Scenario: Looking is no event
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      When "ferry runs daily" is recalled
      Then these are found:
        | ferry |
      And the "record ferry" says:
        | state | active |
      And the "diagnostics" says:
        | records | 1 |
      When the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | events | [] |

    @needs:retrieval-feedback @needs:listing
    Scenario: Listing is no event
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      When the operation "list_records" is called with:
        | access | {} |
      Then these are found:
        | ferry |
      When the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | events | [] |

    @needs:retrieval-feedback @needs:context
    Scenario: An evaluation writes no event
      Given an empty store with:
        | evaluation | true |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      When the operation "context" is called with:
        | query | ferry runs daily |
      Then the "answer" says:
        | ids | ["key:ferry"] |
      When the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | state  | on |
        | events | [] |

  @req:retrieval-feedback/an-event-is-kept-once @must
  Rule: An event is kept once

    @needs:retrieval-feedback
    Scenario: The same event again is known
      Given an empty store
      And the operation "retrieval_feedback" is called with:
        | state  | on                                                                |
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m", "version": 1}] |
      When the operation "retrieval_feedback" is called with:
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m", "version": 1}] |
      Then the "answer" says:
        | results[0].outcome | known |
        | events.length      | 1     |
        | counts[0].memoryId | m     |
        | counts[0].count    | 1     |

    @needs:retrieval-feedback
    Scenario: Another payload under the same id is rejected
      Given an empty store
      And the operation "retrieval_feedback" is called with:
        | state  | on                                                                |
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m", "version": 1}] |
      When the operation "retrieval_feedback" is called with:
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m", "version": 2}] |
      Then the "answer" says:
        | results[0].outcome | rejected        |
        | results[0].cause   | other than null |
        | events.length      | 1               |
        | events[0].version  | 1               |
        | counts[0].count    | 1               |

    @needs:retrieval-feedback @level:exact
    Scenario: An id of other fields is rejected
      Given an empty store
      When the operation "retrieval_feedback" is called with:
        | state  | on                                                                                                                                                                                                                                                               |
        | events | [{"threadId": "thread-1", "turnId": "turn-2", "memoryId": "mem-1", "id": "feedback-retrieved-7a3b9f4c825228f90c68154d8d9d2b5b"}, {"threadId": "thread-1", "turnId": "turn-1", "memoryId": "mem-1", "id": "feedback-retrieved-7a3b9f4c825228f90c68154d8d9d2b5b"}] |
      Then the "answer" says:
        | results[0].outcome | rejected |
        | results[1].outcome | recorded |
        | events.length      | 1        |
        | events[0].turnId   | turn-1   |

    @needs:retrieval-feedback
    Scenario: One event that fails doesn't stop the others
      Given an empty store
      And the operation "retrieval_feedback" is called with:
        | state  | on                                                                |
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m", "version": 1}] |
      When the operation "retrieval_feedback" is called with:
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "a"}, {"threadId": "t", "turnId": "u", "memoryId": "m", "version": 2}, {"threadId": "t", "turnId": "u", "memoryId": "z"}] |
      Then the "answer" says:
        | results[0].outcome | recorded |
        | results[1].outcome | rejected |
        | results[2].outcome | recorded |
        | events.length      | 3        |

    @needs:retrieval-feedback @needs:durable
    Scenario: Events and counts outlast a restart
      Given an empty store
      And the operation "retrieval_feedback" is called with:
        | state  | on                                                                                                       |
        | events | [{"threadId": "t", "turnId": "u1", "memoryId": "m"}, {"threadId": "t", "turnId": "u2", "memoryId": "m"}] |
      When the store is restarted
      And the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | state            | on |
        | events.length    | 2  |
        | events[1].turnId | u2 |
        | counts[0].count  | 2  |

    @needs:retrieval-feedback @needs:shared
    Scenario: Another connection sees the events
      Given an empty store
      And the operation "retrieval_feedback" is called with:
        | state  | on                                                  |
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m"}] |
      When the second connection is used
      And the operation "retrieval_feedback" is called with:
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m"}] |
      Then the "answer" says:
        | results[0].outcome | known |
        | events.length      | 1     |
        | counts[0].count    | 1     |

  @req:retrieval-feedback/an-event-holds-no-text @must
  Rule: An event holds no text

    @needs:retrieval-feedback @needs:context @needs:workspaces
    Scenario: Neither question nor content nor path is in an event
      Given an empty store
      And these memories are written:
        | key | content                    | workspace  |
        | m1  | The ferry runs on Saturday | /w/harbour |
      And the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      When the operation "context" is called with:
        | query     | Which ferry runs on Saturday? |
        | workspace | /w/harbour                    |
      And the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | events.length | 1                |
        | *             | without Which    |
        | *             | without ferry    |
        | *             | without Saturday |
        | *             | without harbour  |

    @needs:retrieval-feedback
    Scenario: A thread that is a credential is rejected
      Given an empty store
      When the operation "retrieval_feedback" is called with:
        | state  | on                                                                                                                            |
        | events | [{"threadId": "ghp_{9 times "a1B2"}", "turnId": "u", "memoryId": "m"}, {"threadId": "plain", "turnId": "u", "memoryId": "m"}] |
      Then the "answer" says:
        | results[0].outcome | rejected     |
        | results[1].outcome | recorded     |
        | events.length      | 1            |
        | *                  | without a1B2 |

  @req:retrieval-feedback/feedback-changes-no-answer @must
  Rule: Feedback changes no answer

    # One memory has both words and comes first, another one was shown often.
    @needs:retrieval-feedback @needs:context
    Scenario Outline: The context is the same in each state
      Given an empty store
      And these memories are written:
        | key   | content                       |
        | ferry | The ferry runs daily          |
        | barge | The ferry carries a barge     |
        | crane | The ferry waits for the crane |
      And the operation "context" is called with:
        | query | ferry runs |
      And the answer is kept
      When the operation "retrieval_feedback" is called with:
        | state  | on                                                                                                                       |
        | events | [{"threadId": "t", "turnId": "u1", "memoryId": "key:crane"}, {"threadId": "t", "turnId": "u2", "memoryId": "key:crane"}] |
      And the operation "retrieval_feedback" is called with:
        | state     | <state>  |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      And the operation "context" is called with:
        | query | ferry runs |
      Then the answer equals the kept one

      Examples:
        | state  |
        | on     |
        | off    |
        | broken |

    @needs:retrieval-feedback @needs:context @needs:trace @needs:scores @needs:clock
    Scenario Outline: Hits and features are the same in each state
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content                       |
        | ferry | The ferry runs daily          |
        | barge | The ferry carries a barge     |
        | crane | The ferry waits for the crane |
      And "ferry" is recalled with:
        | trace | true |
      And the answer is kept
      When the operation "retrieval_feedback" is called with:
        | state  | on                                                                                                                       |
        | events | [{"threadId": "t", "turnId": "u1", "memoryId": "key:crane"}, {"threadId": "t", "turnId": "u2", "memoryId": "key:crane"}] |
      And the operation "retrieval_feedback" is called with:
        | state     | <state>  |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      And the operation "context" is called with:
        | query | ferry crane |
      And "ferry" is recalled with:
        | trace | true |
      Then the answer equals the kept one

      Examples:
        | state  |
        | on     |
        | off    |
        | broken |

    @needs:retrieval-feedback
    Scenario: A broken feedback keeps no event and says so
      Given an empty store
      When the operation "retrieval_feedback" is called with:
        | state  | broken                                              |
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m"}] |
      Then the "answer" says:
        | state              | broken |
        | results[0].outcome | failed |
        | events             | []     |
      When the operation "retrieval_feedback" is called with:
        | state  | on                                                  |
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "m"}] |
      Then the "answer" says:
        | results[0].outcome | recorded |
        | events.length      | 1        |

    @needs:retrieval-feedback @needs:context
    Scenario: A turn with a broken feedback is complete
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | state     | broken   |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      When the operation "context" is called with:
        | query | ferry runs daily |
      Then the call is answered
      And the "answer" says:
        | ids | ["key:ferry"] |
      When the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-2   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      Then the "answer" says:
        | ids | ["key:ferry"] |
      When the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | events.length    | 1      |
        | events[0].turnId | turn-2 |

  @req:retrieval-feedback/being-shown-confirms-nothing @must
  Rule: Being shown confirms nothing

    @needs:retrieval-feedback @needs:context
    Scenario: A memory that was shown is as it was
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "get" is called with:
        | id | ferry |
      And the answer is kept
      When the operation "retrieval_feedback" is called with:
        | state     | on       |
        | thread id | thread-1 |
        | turn id   | turn-1   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | thread id | thread-1 |
        | turn id   | turn-2   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | thread id | thread-1 |
        | turn id   | turn-3   |
      And the operation "context" is called with:
        | query | ferry runs daily |
      And the operation "retrieval_feedback" is called with:
        | events | [] |
      Then the "answer" says:
        | counts[ferry].count | 3 |
      When the operation "get" is called with:
        | id | ferry |
      Then the answer equals the kept one

    @needs:retrieval-feedback
    Scenario: An event doesn't revive a forgotten memory
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And "ferry" is forgotten
      When the operation "retrieval_feedback" is called with:
        | state  | on                                                          |
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "key:ferry"}] |
      And "ferry runs daily" is recalled
      Then nothing is found
      And the "record ferry" says:
        | state   | forgotten |
        | content | null      |

    @needs:retrieval-feedback @needs:disable
    Scenario: A disabled memory stays disabled
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "disable" is called with:
        | id | ferry |
      When the operation "retrieval_feedback" is called with:
        | state  | on                                                          |
        | events | [{"threadId": "t", "turnId": "u", "memoryId": "key:ferry"}] |
      And "ferry runs daily" is recalled
      Then nothing is found
      And the "record ferry" says:
        | state | disabled |

  @req:retrieval-feedback/a-correction-happens-once @must
  Rule: A correction happens once

    @needs:retrieval-feedback @needs:correct
    Scenario: A replayed correction makes one memory
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "correct" is called with:
        | id      | ferry                 |
        | content | The ferry runs hourly |
        | key     | hourly                |
      And the answer is kept
      When the operation "correct" is called with:
        | id      | ferry                 |
        | content | The ferry runs hourly |
        | key     | hourly                |
      Then the call is answered
      And the "answer" says:
        | id    | {kept:id}    |
        | other | {kept:other} |
      When the operation "correct" is called with:
        | id      | ferry                 |
        | content | The ferry runs hourly |
        | key     | hourly                |
      And "ferry runs" is recalled
      Then the "answer" says:
        | hits[0].id | key:hourly |
      And "ferry" gives way to "hourly"

    @needs:retrieval-feedback @needs:correct @needs:workspaces
    Scenario: A correction stays in the place of the old memory
      Given an empty store
      And these memories are written:
        | key  | content              | workspace |
        | red  | The ferry runs daily | /w/red    |
        | blue | The ferry runs daily | /w/blue   |
      When the operation "correct" is called with:
        | id        | red                   |
        | content   | The ferry runs hourly |
        | key       | hourly                |
        | workspace | /w/red                |
      And "ferry runs" is recalled with:
        | workspace | /w/red |
      Then "hourly" is found
      When "ferry runs" is recalled with:
        | workspace | /w/blue |
      Then these are found:
        | blue |

    @needs:retrieval-feedback @needs:correct @needs:workspaces
    Scenario: A correction from another place is refused
      Given an empty store
      And these memories are written:
        | key   | content              | workspace |
        | ferry | The ferry runs daily | /w/red    |
      When the operation "correct" is called with:
        | id        | ferry                 |
        | content   | The ferry runs hourly |
        | workspace | /w/blue               |
      Then the call is refused as "not_found"
      When "ferry runs" is recalled with:
        | workspace | /w/red |
      Then these are found:
        | ferry |
      When the operation "correct" is called with:
        | id        | ferry                 |
        | content   | The ferry runs hourly |
        | key       | hourly                |
        | workspace | /w/red                |
      Then the "answer" says:
        | outcome | superseded |
        | other   | key:ferry  |
