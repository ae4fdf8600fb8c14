Feature: Bad input is refused and the server lives

  After each refusal a call that differs from it in one thing is made: it must be served, by the
  same server.

  @req:memory-core/bad-input-is-refused-and-the-server-lives @must
  Rule: Bad input is refused and the server lives

    Scenario: A question without a text is refused
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the operation "recall" is called with:
        | limit | 3 |
      Then the call is refused as "invalid"
      When the operation "recall" is called with:
        | limit | 3            |
        | query | crane brakes |
      Then these are found:
        | crane |

    Scenario Outline: A question that is no text is refused
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the operation "recall" is called with:
        | query | <query> |
      Then the call is refused as "invalid"
      When the operation "recall" is called with:
        | query | "crane brakes" |
      Then these are found:
        | crane |

      Examples:
        | query                    |
        | 42                       |
        | null                     |
        | true                     |
        | ["crane brakes"]         |
        | {"text": "crane brakes"} |

    Scenario Outline: A limit that is no whole number is refused
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the operation "recall" is called with:
        | query | crane brakes |
        | limit | <limit>      |
      Then the call is refused as "invalid"
      When the operation "recall" is called with:
        | query | crane brakes |
        | limit | 3            |
      Then these are found:
        | crane |

      Examples:
        | limit   |
        | "three" |
        | "3"     |
        | 2.5     |
        | [3]     |

    Scenario Outline: A missing id is refused
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the operation "<operation>" is called with:
        | access | {} |
      Then the call is refused as "invalid"
      When the operation "<operation>" is called with:
        | access | {}    |
        | id     | crane |
      Then the "answer" says:
        | <field> | <value> |

      Examples:
        | operation | field        | value  |
        | get       | record.state | active |
        | forget    | done         | true   |

    Scenario Outline: An id that is no text is refused
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the operation "<operation>" is called with:
        | id | <id> |
      Then the call is refused as "invalid"
      When the operation "<operation>" is called with:
        | id | crane |
      Then the "answer" says:
        | <field> | <value> |

      Examples:
        | operation | id             | field        | value  |
        | get       | 42             | record.state | active |
        | get       | null           | record.state | active |
        | get       | ["key:crane"]  | record.state | active |
        | forget    | 42             | done         | true   |
        | forget    | null           | done         | true   |
        | forget    | {"id": "some"} | done         | true   |

    Scenario Outline: An unknown id is refused
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the operation "<operation>" is called with:
        | id | never-given |
      Then the call is refused as "not_found"
      When the operation "<operation>" is called with:
        | id | crane |
      Then the "answer" says:
        | <field> | <value> |

      Examples:
        | operation | field        | value  |
        | get       | record.state | active |
        | forget    | done         | true   |

    Scenario: A memory without content is refused
      Given an empty store
      When the operation "write" is called with:
        | record | {} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes"} |
      Then the "answer" says:
        | outcome | created |
      When "crane brakes" is recalled
      Then the "answer" says:
        | hits[0].content | The harbour crane needs new brakes |
        | hits.length     | 1                                  |

    Scenario: Empty content is refused
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": ""} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "Fog"} |
      Then the "answer" says:
        | outcome | created |
      When "fog" is recalled
      Then the "answer" says:
        | hits[0].content | Fog |
        | hits.length     | 1   |

    Scenario Outline: Content that is no text is refused
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": <content>} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes"} |
      Then the "answer" says:
        | outcome | created |
      When "crane brakes" is recalled
      Then the "answer" says:
        | hits[0].content | The harbour crane needs new brakes |
        | hits.length     | 1                                  |

      Examples:
        | content            |
        | 42                 |
        | null               |
        | true               |
        | ["crane", "brake"] |
        | {"text": "crane"}  |

    Scenario: A lone surrogate as content is refused
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The harbour crane \ud83d needs new brakes"} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The harbour crane \ud83d\udea2 needs new brakes"} |
      Then the "answer" says:
        | outcome | created |
      When "crane brakes" is recalled
      Then the "answer" says:
        | hits[0].content | "The harbour crane \ud83d\udea2 needs new brakes" |
        | hits.length     | 1                                                 |

    @needs:tags
    Scenario Outline: Tags that are no list of texts are refused
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes", "tags": <tags>} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes", "tags": ["repair"]} |
      Then the "answer" says:
        | outcome | created |

      Examples:
        | tags          |
        | "repair"      |
        | 7             |
        | [7, 8]        |
        | {"repair": 1} |

    @needs:confidence
    Scenario Outline: A confidence that is no number is refused
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes", "confidence": <confidence>} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes", "confidence": 0.5} |
      Then the "answer" says:
        | outcome | created |

      Examples:
        | confidence |
        | "high"     |
        | "0.5"      |
        | [0.5]      |

    @needs:confidence
    Scenario: The ends of the confidence range are kept
      Given an empty store
      When these memories are written:
        | key    | content                              | confidence |
        | lowest | The harbour crane needs new brakes   | 0          |
        | full   | The ferry timetable changes in March | 1          |
      Then the "record lowest" says:
        | confidence | 0 |
      And the "record full" says:
        | confidence | 1 |

    @needs:confidence
    Scenario Outline: A confidence out of range is refused or clamped
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes", "confidence": <confidence>} |
      Then the call is refused as "out of range"
      When "crane brakes" is recalled
      Then the "answer" says:
        | hits[0].confidence | by outOfRange: refuse null, clamp <nearest> |

      Examples:
        | confidence | nearest |
        | -0.1       | 0       |
        | 1.001      | 1       |
        | 7          | 1       |
        | -3         | 0       |

    @needs:tags
    Scenario: A refused write leaves nothing behind
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes", "tags": 7} |
      Then the call is refused as "invalid"
      When "crane brakes" is recalled
      Then nothing is found

    @needs:validity
    Scenario Outline: A time that is no time is refused
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes", "expiresAt": "<time>"} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The harbour crane needs new brakes", "expiresAt": "2999-01-01T00:00:00Z"} |
      Then the "answer" says:
        | outcome | created |
      When "crane brakes" is recalled
      Then the "answer" says:
        | hits.length | 1 |

      Examples:
        | time                 |
        | tomorrow             |
        | 2999-13-01T00:00:00Z |
        | 2999-02-30T00:00:00Z |

    @needs:update
    Scenario: An update to an empty text is refused
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | crane | The crane driver is Marta |
      When the operation "update" is called with:
        | id      | crane |
        | content | ""    |
      Then the call is refused as "invalid"
      And "crane" is seen on every surface with:
        | query | Marta |
      When the operation "update" is called with:
        | id      | crane                      |
        | content | The crane driver is Henrik |
      And "Henrik" is recalled
      Then these are found:
        | crane |

    @needs:update
    Scenario: An update of an unknown id is refused
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | crane | The crane driver is Marta |
      When the operation "update" is called with:
        | id      | never-given                |
        | content | The crane driver is Henrik |
      Then the call is refused as "not_found"
      When the operation "update" is called with:
        | id      | crane                      |
        | content | The crane driver is Henrik |
      And "crane driver" is recalled
      Then these are found:
        | crane |
      And the "hit crane" says:
        | content | The crane driver is Henrik |

    @needs:correct
    Scenario: A correction without a text is refused
      Given an empty store
      And these memories are written:
        | key | content                   |
        | old | The crane driver is Marta |
      When the operation "correct" is called with:
        | id  | old |
        | key | new |
      Then the call is refused as "invalid"
      And the "record old" says:
        | state | active |
      When the operation "correct" is called with:
        | id      | old                        |
        | key     | new                        |
        | content | The crane driver is Henrik |
      Then the "record new" says:
        | state | active |

    @needs:correct
    Scenario: A correction to an empty text is refused
      Given an empty store
      And these memories are written:
        | key | content                   |
        | old | The crane driver is Marta |
      When the operation "correct" is called with:
        | id      | old |
        | key     | new |
        | content | ""  |
      Then the call is refused as "invalid"
      And the "record old" says:
        | state | active |
      When the operation "correct" is called with:
        | id      | old                        |
        | key     | new                        |
        | content | The crane driver is Henrik |
      Then the "record new" says:
        | state | active |

    @needs:correct
    Scenario: A correction of an unknown id is refused
      Given an empty store
      And these memories are written:
        | key | content                   |
        | old | The crane driver is Marta |
      When the operation "correct" is called with:
        | id      | never-given                |
        | key     | new                        |
        | content | The crane driver is Henrik |
      Then the call is refused as "not_found"
      When the operation "correct" is called with:
        | id      | old                        |
        | key     | new                        |
        | content | The crane driver is Henrik |
      And "crane driver" is recalled
      Then "old" gives way to "new"

    @needs:batch
    Scenario Outline: A batch that is no list is refused
      Given an empty store
      When the operation "write_batch" is called with:
        | records | <records> |
      Then the call is refused as "invalid"
      When the operation "write_batch" is called with:
        | records | [{"content": "The harbour crane needs new brakes"}] |
      And "crane brakes" is recalled
      Then the "answer" says:
        | hits[0].content | The harbour crane needs new brakes |
        | hits.length     | 1                                  |

      Examples:
        | records                                           |
        | "The harbour crane needs new brakes"              |
        | null                                              |
        | {"content": "The harbour crane needs new brakes"} |
        | ["The harbour crane needs new brakes"]            |

    @needs:context
    Scenario Outline: A context without a question is refused
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      When the operation "context" is called with:
        | <field> | <value> |
      Then the call is refused as "invalid"
      When the operation "context" is called with:
        | query | crane brakes |
      Then the "answer" says:
        | ids | ["key:crane"] |

      Examples:
        | field  | value            |
        | access | {}               |
        | query  | null             |
        | query  | 42               |
        | query  | ["crane brakes"] |
