Feature: Twenty-three defects that were found in use

  @req:memory-integrity/every-way-of-writing-reaches-every-index @must
  Rule: Every way of writing reaches every index

    @needs:diagnostics @needs:reindex @defect:F1
    Scenario: A single write is in the vector index
      Given an empty store
      When these memories are written:
        | key  | content                     |
        | gate | The gate alarm was replaced |
        | roof | The roof was mended         |
      Then the "diagnostics" says:
        | index.canonical | 2 |
        | index.indexed   | 2 |
        | index.stale     | 0 |

    @needs:diagnostics @needs:reindex @needs:batch @defect:F1b
    Scenario: A batch is in the vector index
      Given an empty store
      When these memories are written in one batch:
        | key  | content                     |
        | gate | The gate alarm was replaced |
        | roof | The roof was mended         |
        | lamp | The lamp was lit            |
      Then the "diagnostics" says:
        | index.canonical | 3 |
        | index.indexed   | 3 |

    @needs:diagnostics @needs:reindex @needs:update @needs:correct @defect:F1
    Scenario: Updates and corrections are in the vector index
      Given an empty store
      And these memories are written:
        | key  | content                     |
        | gate | The gate alarm was replaced |
        | roof | The roof was mended         |
      When the operation "update" is called with:
        | id      | gate                    |
        | content | The gate alarm was sold |
      And the operation "correct" is called with:
        | id      | roof                   |
        | content | The roof was torn down |
        | key     | torn                   |
      Then the "diagnostics" says:
        | index.canonical | 3 |
        | index.indexed   | 3 |

    @needs:drop-embeddings @needs:reindex @needs:clock @defect:F5
    Scenario: A reindexed memory has its old place
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key  | content                     |
        | gate | The gate alarm was replaced |
        | bell | An alarm bell rang          |
        | shed | The gate of the shed        |
      And "gate alarm" is recalled
      And the answer is kept
      And the operation "drop_embeddings" is called
      And the operation "reindex" is called
      When "gate alarm" is recalled
      Then the answer equals the kept one

    @needs:faults @needs:reindex @needs:diagnostics @defect:D7
    Scenario: Writes while the vectors are down are not lost
      Given an empty store
      And the operation "fault" is called with:
        | name | vectors-down |
      And these memories are written:
        | key  | content                     |
        | gate | The gate alarm was replaced |
      Then the "outcome gate" says:
        | outcome | deferred      |
        | cause   | other than "" |
      And the "diagnostics" says:
        | failures.vectors-down | 1 |
        | index.stale           | 1 |
      When the operation "fault" is called with:
        | name | vectors-down |
        | on   | false        |
      Then the "diagnostics" says:
        | failures    | {} |
        | index.stale | 0  |

  @req:memory-integrity/a-name-is-a-wall-for-candidates-too @must
  Rule: A name is a wall for candidates too

    @needs:namespaces @defect:F2
    Scenario: A full neighbour changes no answer
      Given an empty store
      And these memories are written:
        | key  | content                     | namespace |
        | gate | The gate alarm was replaced | ours      |
        | shed | The gate of the shed        | ours      |
      And 80 memories are written like "gate alarm number (n)"
      When "gate alarm" is recalled with:
        | namespace | ours |
      Then these are found in order:
        | gate |
        | shed |

    @needs:namespaces @defect:F10
    Scenario: Every answer names its namespace
      Given an empty store with:
        | namespace | garden |
      And these memories are written:
        | key  | content          |
        | gate | The gate is shut |
      Then the "outcome gate" says:
        | namespace | garden |
      When "gate" is recalled
      Then the "answer" says:
        | namespace | garden |

    @needs:warmup @defect:F3
    Scenario: A warm store answers the first question
      Given an empty store
      And the operation "warmup" is called
      And these memories are written:
        | key  | content          |
        | gate | The gate is shut |
      When "gate" is recalled
      Then these are found:
        | gate |

  @req:memory-integrity/what-was-passed-is-what-is-kept @must
  Rule: What was passed is what is kept

    @needs:confidence @defect:F7
    Scenario Outline: A given confidence is kept
      Given an empty store
      And these memories are written:
        | key  | content          | confidence   |
        | gate | The gate is shut | <confidence> |
      When "gate" is recalled
      Then the "hit gate" says:
        | confidence | <confidence> |
      And the "record gate" says:
        | confidence | <confidence> |

      Examples:
        | confidence |
        | 0.95       |
        | 0          |
        | 1          |

    @needs:batch @needs:tags @needs:confidence @defect:F8
    Scenario: Each item of a batch keeps its own
      Given an empty store
      When these memories are written in one batch:
        | key   | content               | tags        | confidence |
        | one   | The first gate opens  | red         | 0.1        |
        | two   | The second gate opens | green, blue | 0.9        |
        | three | The third gate opens  |             |            |
      Then the "record one" says:
        | tags       | ["red"] |
        | confidence | 0.1     |
      And the "record two" says:
        | tags       | ["green", "blue"] |
        | confidence | 0.9               |
      And the "record three" says:
        | tags | [] |

    @needs:batch @needs:tags @needs:confidence @defect:F8
    Scenario: A batch counts what it passed on
      Given an empty store
      When these memories are written in one batch:
        | key   | content               | tags  | confidence | importance |
        | one   | The first gate opens  | red   |            |            |
        | two   | The second gate opens | green | 0.9        |            |
        | three | The third gate opens  |       |            | 0.8        |
      Then the "answer" says:
        | passedOn.tags       | 2 |
        | passedOn.confidence | 1 |
        | passedOn.importance | 1 |

    @defect:F9
    Scenario: A hit can be forgotten by its id
      Given an empty store
      And these memories are written:
        | key  | content          |
        | gate | The gate is shut |
      And "gate" is recalled
      And the answer is kept
      When the operation "forget" is called with:
        | id | {kept:hits[0].id} |
      And "gate" is recalled
      Then nothing is found

    @needs:correct @needs:versions @defect:F9b
    Scenario: A marked memory shows its successor and its version
      Given an empty store
      And these memories are written:
        | key | content                       |
        | old | The meeting is held on Monday |
      And the operation "correct" is called with:
        | id      | old                            |
        | content | The meeting is held on Tuesday |
        | key     | new                            |
      When "the meeting held on Monday" is recalled
      Then "old" gives way to "new"
      And the "record old" says:
        | state        | superseded |
        | supersededBy | key:new    |
        | version      | 1          |

  @req:memory-integrity/a-forgotten-memory-is-in-no-cache @must
  Rule: A forgotten memory is in no cache

    @defect:F11
    Scenario: The same words find it no more
      Given an empty store
      And these memories are written:
        | key  | content          |
        | gate | The gate is shut |
      And "the gate is shut" is recalled
      And "gate" is forgotten
      When "the gate is shut" is recalled
      Then nothing is found

    @needs:shared @defect:F11
    Scenario: A second connection finds it no more
      Given an empty store
      And these memories are written:
        | key  | content          |
        | gate | The gate is shut |
      And the second connection is used
      And "the gate is shut" is recalled
      And the first connection is used
      And "gate" is forgotten
      And the second connection is used
      When "the gate is shut" is recalled
      Then nothing is found

  @req:memory-integrity/no-answer-changes-later @must
  Rule: No answer changes later

    @needs:clock @defect:D2
    Scenario: A later question changes no earlier answer
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key  | content                     |
        | gate | The gate alarm was replaced |
        | shed | The gate of the shed        |
      And "gate alarm" is recalled
      And the answer is kept
      And "how do I bake a soufflé" is recalled
      When "gate alarm" is recalled
      Then the answer equals the kept one

    @defect:D4
    Scenario Outline: The order is the same after unrelated questions
      Given an empty store
      And these memories are written:
        | key   | content                             |
        | one   | The harbour lies in fog             |
        | two   | The harbour crane stands idle       |
        | three | The harbour crane inspection is due |
      And "harbour crane inspection" is recalled
      And <number> questions are asked like "how does the weather behave on day (n)"
      When "harbour crane inspection" is recalled
      Then these are found in order:
        | three |
        | two   |
        | one   |

      Examples:
        | number |
        | 4      |
        | 6      |
        | 28     |

    @defect:D4
    Scenario: The order is the same after its own last hit was asked for
      Given an empty store
      And these memories are written:
        | key   | content                             |
        | one   | The harbour lies in fog             |
        | two   | The harbour crane stands idle       |
        | three | The harbour crane inspection is due |
      And "harbour crane inspection" is recalled
      And 12 questions are asked like "fog at the harbour"
      When "harbour crane inspection" is recalled
      Then these are found in order:
        | three |
        | two   |
        | one   |

  @req:memory-integrity/a-score-is-no-measure-of-relevance @must
  Rule: A score is no measure of relevance

    @defect:F6 @defect:D5
    Scenario Outline: Related first, unrelated nothing
      Given an empty store
      And these memories are written:
        | key   | content                               |
        | card  | 用户的显卡是 RTX 4090                  |
        | leave | 用户的年假是 15 天                     |
        | style | The report begins with its conclusion |
      When "<question>" is recalled with:
        | limit | 1 |
      Then the "answer" says:
        | hits[0].id | <found> |

      Examples:
        | question                 | found     |
        | 我的显卡是什么型号       | key:card  |
        | 年假有几天               | key:leave |
        | 如何烤舒芙蕾蛋糕         | null      |
        | how do I bake a soufflé  | null      |

    @needs:tags @defect:D11
    Scenario Outline: A preference in other words is found by its tag
      Given an empty store
      And these memories are written:
        | key   | content                           | tags | type       |
        | style | 用户偏好先把结论说清楚，再给依据。 | 偏好 | preference |
        | leave | 用户的年假是 15 天                 |      | fact       |
      When "<question>" is recalled
      Then the "answer" says:
        | hits.length | <number> |
        | hits[0].id  | <found>  |

      Examples:
        | question               | number | found     |
        | 我喜欢什么样的表达方式 | 1      | key:style |
        | 汽车轮胎多久换一次     | 0      | null      |

  @req:memory-integrity/statements-have-a-subject-and-a-source @must
  Rule: Statements have a subject and a source

    @needs:graph @defect:D1
    Scenario: The user has neighbours
      Given an empty store
      And these memories are written:
        | key  | content              |
        | card | 用户的显卡是 RTX 4090 |
      When the operation "graph" is called with:
        | entity | 用户 |
      Then the "answer" says:
        | nodes              | ["RTX 4090"] |
        | edges[0].object    | RTX 4090     |
        | edges[0].qualifier | 显卡         |

    @defect:D8
    Scenario Outline: Two ways of asking put the same first
      Given an empty store
      And these memories are written:
        | key   | content              |
        | spare | 备用显卡放在柜子里   |
        | card  | 用户的显卡是 RTX 4090 |
      When "<question>" is recalled with:
        | limit | 1 |
      Then these are found:
        | card |

      Examples:
        | question       |
        | 我用的什么显卡 |
        | 我的显卡是什么 |

    @needs:graph @needs:channels @level:explain @defect:D8
    Scenario: Not all candidates carry the channel
      Given an empty store
      And these memories are written:
        | key   | content              |
        | spare | 备用显卡放在柜子里   |
        | card  | 用户的显卡是 RTX 4090 |
      When "我的显卡是什么" is recalled
      Then the "hit card" says:
        | channels[graph].channel | graph |
      And the "hit spare" says:
        | channels[graph] | null |

    @needs:graph @defect:D9
    Scenario: Every statement leads to its memory
      Given an empty store
      And these memories are written:
        | key   | content              |
        | card  | 用户的显卡是 RTX 4090 |
        | leave | 用户的年假是 15 天    |
      When the operation "graph" is called with:
        | entity | 用户 |
      Then the "answer" says:
        | edges[0].record | key:card  |
        | edges[1].record | key:leave |

  @req:memory-integrity/a-date-in-a-text-ages-nothing @must
  Rule: A date in a text ages nothing

    @needs:channels @needs:clock @level:explain @defect:D10
    Scenario: A memory that mentions an old date is as fresh
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key   | content                              | updated at           |
        | dated | 显卡购于 2024-01-15，放在工作站里     | 2025-12-01T00:00:00Z |
        | plain | 显卡放在工作站里，备用的放在柜子里   | 2025-12-01T00:00:00Z |
      And "最新的显卡" is recalled
      And the answer is kept
      When "最新的显卡" is recalled
      Then the "hit dated" says:
        | channels[time].raw        | {kept:hits[0].channels[time].raw} |
        | channels[time].normalised | 1                                 |
      And the "hit plain" says:
        | channels[time].raw        | {kept:hits[0].channels[time].raw} |
        | channels[time].normalised | 1                                 |

  @req:memory-integrity/restated-is-one-different-is-two @must
  Rule: Restated is one, different is two

    @needs:listing @needs:tags @defect:D6
    Scenario: A preference told five times
      Given an empty store
      And these memories are written:
        | key   | content                              | tags       |
        | one   | The user prefers tea with his supper | preference |
        | two   | The user prefers tea with his supper | preference |
        | three | The user prefers tea with his supper | preference |
        | four  | The user prefers tea with his supper | preference |
        | five  | The user prefers tea with his supper | preference |
      When the operation "list_records" is called
      Then the "answer" says:
        | records.length | by duplicates: none 5, exact 1, near 1 |

    @needs:listing @defect:D6
    Scenario Outline: Different facts stay apart
      Given an empty store
      And these memories are written:
        | key | content |
        | one | <one>   |
        | two | <two>   |
      When the operation "list_records" is called
      Then these are found:
        | one |
        | two |

      Examples:
        | one                    | two                       |
        | 用户的年假是 5 天       | 用户的年假是 15 天         |
        | Ada manages Bo         | Bo manages Ada            |
        | Ada likes green tea    | Ada does not like green tea |
        | It is due on 2026-03-01 | It is due on 2026-03-02  |
        | It needs an RTX 4080   | It needs an RTX 4090      |

  @req:memory-integrity/a-chinese-text-is-counted-by-its-characters @must
  Rule: A Chinese text is counted by its characters

    @needs:budget @defect:D3
    Scenario: Sixty-six characters in a budget of forty
      Given an empty store
      And these memories are written:
        | key | content |
        | rig | 这台工作站的显卡在去年冬天连续渲染时坏过两次，更换之后一直放在书桌下面使用，计划用到办公室搬进新楼为止，届时和旧设备一起交给仓库保管 |
      When "工作站显卡" is recalled with:
        | budget | 40 |
      Then the "hit rig" says:
        | form | other than content |
      And the "answer" says:
        | ledger.used | at most 40 |

  @req:memory-integrity/the-loop-is-closed @must
  Rule: The loop is closed

    @needs:correct @needs:durable @needs:tags @needs:confidence
    Scenario: From writing to forgetting
      Given an empty store
      And these memories are written:
        | key | content                       | tags | confidence |
        | old | The meeting is held on Monday | team | 0.8        |
      When "meeting held" is recalled
      Then the "hit old" says:
        | id         | key:old  |
        | state      | active   |
        | tags       | ["team"] |
        | confidence | 0.8      |
      When the operation "correct" is called with:
        | id      | old                            |
        | content | The meeting is held on Tuesday |
        | key     | new                            |
      And "meeting held" is recalled
      Then "old" gives way to "new"
      When "new" is forgotten
      And the store is restarted
      And "meeting held on Tuesday" is recalled
      Then "new" is not found
