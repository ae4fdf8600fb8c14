Feature: First a catalog, then what was picked

  @req:progressive-disclosure/a-catalog-shows-no-content @must
  Rule: A catalog shows no content

    @needs:disclosure
    Scenario: An entry has title, summary and cost
      Given an empty store
      And these memories are written:
        | key  | content                                                       |
        | door | The blue key opens the north door of the warehouse by the pier |
      When the operation "catalog" is called with:
        | query | north door |
      Then the "answer" says:
        | entries.length             | 1             |
        | entries[door].title        | other than "" |
        | entries[door].summary      | other than "" |
        | entries[door].expandCost   | at least 1    |

    @needs:disclosure
    Scenario Outline: The content is in no entry
      Given an empty store
      And these memories are written:
        | key | content   |
        | one | <content> |
      When the operation "catalog" is called with:
        | query | <asked> |
      Then the "answer" says:
        | entries[one].id | key:one           |
        | *               | without <content> |

      Examples:
        | content                                                       | asked  |
        | Gate 7                                                        | gate   |
        | The blue key opens the north door of the warehouse by the pier | north  |
        | 显卡                                                          | 显卡   |
        | 先把结论说清楚，再给依据，最后列出还没有解决的问题             | 结论   |

    @needs:disclosure
    Scenario: An unrelated question has an empty catalog
      Given an empty store
      And these memories are written:
        | key  | content                       |
        | door | The blue key opens the door   |
      When the operation "catalog" is called with:
        | query | how do I bake a soufflé |
      Then the "answer" says:
        | entries | [] |
        | cost    | 0  |

    @needs:disclosure
    Scenario: A catalog is in the order of recall
      Given an empty store
      And these memories are written:
        | key   | content                             |
        | one   | The harbour lies in fog             |
        | three | The harbour crane inspection is due |
        | two   | The harbour crane stands idle       |
      When the operation "catalog" is called with:
        | query | harbour crane inspection |
      Then the "answer" says:
        | entries.length | 3         |
        | entries[0].id  | key:three |

  @req:progressive-disclosure/a-catalog-tells-near-twins-apart @must
  Rule: A catalog tells near twins apart

    @needs:disclosure
    Scenario: Two memories that differ in one word
      Given an empty store
      And these memories are written:
        | key   | content                                                         |
        | north | The blue key of the harbour office opens the north door at night |
        | south | The blue key of the harbour office opens the south door at night |
      When the operation "catalog" is called with:
        | query | blue key |
      Then the "answer" says:
        | entries[north].summary | containing north |
        | entries[south].summary | containing south |

    @needs:disclosure
    Scenario: Two memories that differ in a number
      Given an empty store
      And these memories are written:
        | key   | content                                                       |
        | short | Annual leave of the people in the harbour office is 5 days     |
        | long  | Annual leave of the people in the harbour office is 15 days    |
      When the operation "catalog" is called with:
        | query | annual leave |
      Then the "answer" says:
        | entries[short].summary | containing 5 days  |
        | entries[short].summary | without 15         |
        | entries[long].summary  | containing 15 days |

  @req:progressive-disclosure/a-catalog-says-what-it-costs @must
  Rule: A catalog says what it costs

    @needs:disclosure
    Scenario: More entries cost more
      Given an empty store
      And 6 memories are written like "The ferry number (n) leaves from the north pier"
      And the operation "catalog" is called with:
        | query | ferry pier |
        | k     | 2          |
      And the answer is kept
      When the operation "catalog" is called with:
        | query | ferry pier |
        | k     | 6          |
      Then the "answer" says:
        | entries.length | 6                      |
        | cost           | at least {kept:cost + 1} |

    @needs:disclosure
    Scenario Outline: No more entries than asked for
      Given an empty store
      And 6 memories are written like "The ferry number (n) leaves from the north pier"
      When the operation "catalog" is called with:
        | query | ferry pier |
        | k     | <number>   |
      Then the "answer" says:
        | entries.length | <number> |

      Examples:
        | number |
        | 0      |
        | 1      |
        | 4      |

  @req:progressive-disclosure/expanding-shows-the-whole-memory @must
  Rule: Expanding shows the whole memory

    @needs:disclosure
    Scenario: The content is byte for byte the stored one
      Given an empty store
      And these memories are written:
        | key  | content                              |
        | poem | "First line\n\n  second   line\t end " |
      When the operation "expand" is called with:
        | id | poem |
      Then the "answer" says:
        | record.content | "First line\n\n  second   line\t end " |
        | record.state   | active                               |

    @needs:disclosure @needs:graph
    Scenario: The statements come along
      Given an empty store
      And these memories are written:
        | key  | content              |
        | card | 用户的显卡是 RTX 4090 |
      When the operation "expand" is called with:
        | id | card |
      Then the "answer" says:
        | neighbours[0].object    | RTX 4090 |
        | neighbours[0].qualifier | 显卡     |
        | neighbours[0].record    | key:card |

    @needs:disclosure @needs:correct
    Scenario Outline: A corrected memory leads to its correction
      Given an empty store
      And these memories are written:
        | key | content                       |
        | old | The meeting is held on Monday |
      And the operation "correct" is called with:
        | id      | old                            |
        | content | The meeting is held on Tuesday |
        | key     | new                            |
      When the operation "expand" is called with:
        | id | <expanded> |
      Then the "answer" says:
        | evidence | ["key:<other>"] |

      Examples:
        | expanded | other |
        | old      | new   |
        | new      | old   |

    @needs:disclosure @needs:namespaces
    Scenario: A memory of another place cannot be expanded
      Given an empty store
      And these memories are written:
        | key    | content           | namespace |
        | theirs | The gate is shut  | oak       |
      When the operation "expand" is called with:
        | id        | theirs |
        | namespace | birch  |
      Then the call is refused as "not_found"

    @needs:disclosure
    Scenario: A forgotten memory expands to nothing
      Given an empty store
      And these memories are written:
        | key  | content              |
        | card | 用户的显卡是 RTX 4090 |
      And "card" is forgotten
      When the operation "expand" is called with:
        | id | card |
      Then the "answer" says:
        | record.state   | forgotten |
        | record.content | null      |
        | neighbours     | []        |
