Feature: Several signals, one order
  What each hit shows of the channels that brought it, and what no channel may do alone.

  @req:signal-fusion/every-hit-explains-itself @must
  Rule: Every hit explains itself

    @needs:channels @level:explain
    Scenario: A hit by its words shows the channel of words
      Given an empty store
      And these memories are written:
        | key   | content                       |
        | alarm | The gate alarm was replaced   |
        | roof  | Swallows nest under the roof  |
      When "gate alarm" is recalled
      Then the "hit alarm" says:
        | channels[bm25].channel    | bm25       |
        | channels[bm25].raw        | other than 0 |
        | channels[bm25].normalised | 1          |
        | channels[tags]            | null       |

    @needs:channels @needs:tags @level:explain
    Scenario: A hit by its tag shows the channel of tags
      Given an empty store
      And these memories are written:
        | key   | content                | type       | tags |
        | style | 先把结论说清楚，再给依据 | preference | 偏好 |
      When "我喜欢什么样的表达方式" is recalled
      Then the "hit style" says:
        | channels[tags].normalised | 1    |
        | channels[bm25]            | null |

    @needs:channels @needs:graph @level:explain
    Scenario: A hit by its entity shows the channel of entities
      Given an empty store
      And these memories are written:
        | key   | content              |
        | card  | 用户的显卡是 RTX 4090 |
        | spare | 备用显卡放在柜子里   |
      When "我的显卡是什么" is recalled
      Then the "hit card" says:
        | channels[graph].normalised | 1 |
      And the "hit spare" says:
        | channels[graph] | null |

    @needs:tags
    Scenario: A hit shows type, times and sources
      Given an empty store
      And these memories are written:
        | key  | content             | type    | observed at          | sources                                   |
        | rain | It rained on Sunday | episode | 2025-06-01T00:00:00Z | [{"kind": "file", "locator": "diary.txt"}] |
      When "rained on Sunday" is recalled
      Then the "hit rain" says:
        | type               | episode                  |
        | times.observedAt   | 2025-06-01T00:00:00.000Z |
        | sources[0].locator | diary.txt                |

  @req:signal-fusion/channels-are-normalised-before-they-are-weighed @must
  Rule: Channels are normalised before they are weighed

    @needs:channels @level:explain
    Scenario: The best of a channel is one
      Given an empty store
      And these memories are written:
        | key   | content                           |
        | one   | The harbour lies in fog           |
        | two   | The harbour crane stands idle     |
        | three | The harbour crane inspection is due |
      When "harbour crane inspection" is recalled
      Then the "hit three" says:
        | channels[bm25].normalised | 1 |
      And the "hit two" says:
        | channels[bm25].normalised | at most 0.999 |
      And the "hit one" says:
        | channels[bm25].normalised | at most 0.999 |
        | channels[bm25].raw        | other than 0  |

    @needs:channels @level:explain
    Scenario: A single hit is best in each of its channels
      Given an empty store
      And these memories are written:
        | key  | content                    |
        | gate | The gate is shut at night  |
      When "gate" is recalled
      Then the "hit gate" says:
        | channels[bm25].normalised | 1 |

    Scenario: A neighbour that is not asked about changes no score
      Given an empty store
      And these memories are written:
        | key   | content                             |
        | one   | The harbour lies in fog             |
        | two   | The harbour crane stands idle       |
        | three | The harbour crane inspection is due |
      And "harbour crane inspection" is recalled
      And these memories are written:
        | key  | content                      |
        | roof | Swallows nest under the roof |
      When "harbour crane inspection" is recalled
      Then these are found in order:
        | three |
        | two   |
        | one   |

  @req:signal-fusion/a-constraint-comes-before-an-event @must
  Rule: A constraint comes before an event

    @needs:tags
    Scenario: An allergy comes before a meal
      Given an empty store
      And these memories are written:
        | key     | content                                        | type    | tags       |
        | meal    | Ate peanuts, peanuts and nothing else happened | episode |            |
        | allergy | The user is allergic to peanuts                | fact    | constraint |
      When "may peanuts be eaten" is recalled
      Then these are found in order:
        | allergy |
        | meal    |

    @needs:tags
    Scenario: An allergy comes before a meal in Chinese
      Given an empty store
      And these memories are written:
        | key     | content                  | type    | tags |
        | meal    | 昨天吃了花生，花生没出问题 | episode |      |
        | allergy | 用户对花生过敏           | fact    | 约束 |
      When "可以吃花生吗" is recalled
      Then these are found in order:
        | allergy |
        | meal    |

    @needs:tags
    Scenario: A constraint about something else does not come first
      Given an empty store
      And these memories are written:
        | key    | content                         | type    | tags       |
        | gluten | Bread with gluten is forbidden  | fact    | constraint |
        | meal   | Peanuts were eaten with peanuts | episode |            |
      When "peanuts, peanuts or bread" is recalled
      Then these are found in order:
        | meal   |
        | gluten |

  @req:signal-fusion/a-shared-content-word-is-enough @must
  Rule: A shared content word is enough

    Scenario: One content word out of many finds a memory
      Given an empty store
      And these memories are written:
        | key   | content                      |
        | swift | Swallows nest under the roof |
        | lamp  | A lamp hangs in the hall     |
      When "who could tell me something about birds, nests, eggs or swallows in spring" is recalled
      Then these are found:
        | swift |

    Scenario Outline: Words that hold a sentence together find nothing
      Given an empty store
      And these memories are written:
        | key   | content                      |
        | swift | It is what they do in the roof |
      When "<words>" is recalled
      Then nothing is found

      Examples:
        | words                    |
        | the                      |
        | what is it               |
        | is it what they do in it |

    Scenario Outline: Characters that hold a Chinese sentence together find nothing
      Given an empty store
      And these memories are written:
        | key  | content            |
        | card | 用户的显卡是在家里的 |
      When "<words>" is recalled
      Then nothing is found

      Examples:
        | words    |
        | 的       |
        | 是的     |
        | 在的是什么 |

  @req:signal-fusion/other-words-for-one-thing-are-known @should
  Rule: Other words for one thing are known

    Scenario: A question in the other language finds it
      Given an empty store
      And these memories are written:
        | key    | content                        |
        | laptop | A new laptop was bought in May |
        | lamp   | A lamp hangs in the hall       |
      When "我的笔记本是什么" is recalled
      Then these are found:
        | laptop |

  @req:signal-fusion/meaning-reaches-other-words @must
  Rule: Meaning reaches other words

    @needs:semantic
    Scenario: A paraphrase finds a memory
      Given an empty store
      And these memories are written:
        | key     | content                              |
        | doctor  | The physician moved to Elm Street    |
        | lamp    | A lamp hangs in the hall             |
        | harbour | The crane inspection is due in March |
      When "new address of my GP practice" is recalled with:
        | limit | 1 |
      Then these are found:
        | doctor |
