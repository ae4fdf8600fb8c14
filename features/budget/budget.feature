Feature: Whole, or smaller, or a pointer
  Lengths are in tokens as the design counts them: a wide character is one, four others are one.

  @req:budgeted-recall/the-budget-takes-part-in-the-choice @must
  Rule: The budget takes part in the choice

    @needs:budget
    Scenario: What fits is given byte for byte
      Given an empty store
      And these memories are written:
        | key  | content                                       |
        | poem | "The harbour lies in fog\n\n  and   is\t silent " |
      When "harbour fog" is recalled with:
        | budget | 500 |
      Then the "hit poem" says:
        | form    | content                                       |
        | content | "The harbour lies in fog\n\n  and   is\t silent " |

    @needs:budget
    Scenario: What does not fit becomes a capsule
      Given an empty store
      And these memories are written:
        | key | content |
        | rig | The workstation under the desk was bought on 2026-03-15 with an RTX 4090 and 64 GB of memory, after the old one had failed twice in a row during the long winter render, and is meant to last until the office moves to the new building |
      When "workstation desk" is recalled with:
        | budget | 50 |
      Then the "hit rig" says:
        | form    | capsule               |
        | content | containing 2026-03-15 |
        | content | containing RTX 4090   |
        | content | containing 64         |

    @needs:budget
    Scenario: What does not fit even so becomes a pointer
      Given an empty store
      And these memories are written:
        | key | content                     |
        | rig | The workstation is new      |
      When "workstation" is recalled with:
        | budget | 0 |
      Then the "hit rig" says:
        | form    | reference |
        | content | null      |
      And the "answer" says:
        | ledger.used         | 0    |
        | ledger.droppedCount | 1    |
        | ledger.truncated    | true |

    @needs:budget
    Scenario Outline: Three budgets give three answers
      Given an empty store
      And these memories are written:
        | key   | content |
        | first | The ferry ferry ferry from the north pier leaves every day at six in the morning and comes back in the late afternoon, when the fishing boats have cleared the channel and the pilots have gone home for supper with their families |
        | two   | The ferry carries forty cars and two hundred people on a calm day in May |
        | three | The ferry has a canteen with hot soup that is open in winter and in storm |
      When "ferry" is recalled with:
        | budget | <budget> |
      Then the "hit first" says:
        | form | <first> |
      And the "answer" says:
        | ledger.truncated | <truncated> |

      Examples:
        | budget | first   | truncated |
        | 120    | content | false     |
        | 60     | content | true      |
        | 30     | capsule | true      |

    @needs:budget
    Scenario Outline: No memory is left out for want of budget
      Given an empty store
      And these memories are written:
        | key   | content                                                    |
        | one   | The ferry leaves from the north pier every day at six      |
        | two   | The ferry carries forty cars and two hundred people        |
        | three | The ferry has a canteen with hot soup that opens in winter |
      When "ferry" is recalled with:
        | budget | <budget> |
      Then these are found:
        | one   |
        | two   |
        | three |

      Examples:
        | budget |
        | 0      |
        | 1      |
        | 10     |
        | 20     |
        | 45     |
        | 500    |

  @req:budgeted-recall/a-sentence-is-never-cut @must
  Rule: A sentence is never cut

    @needs:budget
    Scenario Outline: A budget in the middle of a sentence cuts nothing
      Given an empty store
      And these memories are written:
        | key  | content   |
        | food | <content> |
      When "<asked>" is recalled with:
        | budget | <budget> |
      Then the "hit food" says:
        | form | other than content |
        | *    | without <half>     |

      Examples:
        | content                                                                     | asked   | budget | half                         |
        | The guest is allergic to peanuts, but the last test says that it is all over | peanuts | 12     | The guest is allergic to peanuts |
        | 用户对花生过敏，但是上个月的检查说已经完全好了                                | 花生    | 14     | 用户对花生过敏               |

  @req:budgeted-recall/the-ledger-comes-with-every-answer @must
  Rule: The ledger comes with every answer

    @needs:budget
    Scenario: An ample budget leaves a clean ledger
      Given an empty store
      And these memories are written:
        | key | content                |
        | rig | The workstation is new |
      When "workstation" is recalled with:
        | budget | 500 |
      Then the "answer" says:
        | ledger.budget       | 500        |
        | ledger.used         | at least 1 |
        | ledger.droppedCount | 0          |
        | ledger.truncated    | false      |

    @needs:budget
    Scenario: An empty answer has a ledger
      Given an empty store
      And these memories are written:
        | key | content                |
        | rig | The workstation is new |
      When "how do I bake a soufflé" is recalled with:
        | budget | 70 |
      Then the "answer" says:
        | hits                | []    |
        | ledger.budget       | 70    |
        | ledger.used         | 0     |
        | ledger.droppedCount | 0     |
        | ledger.truncated    | false |

    @needs:budget
    Scenario: A capsule shows on the ledger
      Given an empty store
      And these memories are written:
        | key | content |
        | rig | The workstation under the desk was bought on 2026-03-15 with an RTX 4090 and 64 GB of memory, after the old one had failed twice in a row during the long winter render, and is meant to last until the office moves to the new building |
      When "workstation desk" is recalled with:
        | budget | 50 |
      Then the "answer" says:
        | ledger.used         | at most 50 |
        | ledger.droppedCount | 0          |
        | ledger.truncated    | true       |

    @needs:budget
    Scenario Outline: No budget is exceeded
      Given an empty store
      And these memories are written:
        | key   | content |
        | first | The ferry ferry ferry from the north pier leaves every day at six in the morning and comes back in the late afternoon, when the fishing boats have cleared the channel and the pilots have gone home for supper with their families |
        | two   | The ferry carries forty cars and two hundred people on a calm day in May |
        | three | 渡轮 ferry 在冬天和大风天也开放食堂，供应热汤和面包，票价不变 |
      When "ferry" is recalled with:
        | budget | <budget> |
      Then the "answer" says:
        | ledger.budget | <budget>         |
        | ledger.used   | at most <budget> |

      Examples:
        | budget |
        | 1      |
        | 19     |
        | 20     |
        | 35     |
        | 57     |
        | 76     |
        | 100    |
        | 200    |

  @req:budgeted-recall/a-chinese-text-costs-what-it-is-long @must
  Rule: A Chinese text costs what it is long

    @needs:budget
    Scenario: Sixty-six characters do not fit forty tokens
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

    @needs:budget
    Scenario: Sixty-six characters fit a hundred tokens
      Given an empty store
      And these memories are written:
        | key | content |
        | rig | 这台工作站的显卡在去年冬天连续渲染时坏过两次，更换之后一直放在书桌下面使用，计划用到办公室搬进新楼为止，届时和旧设备一起交给仓库保管 |
      When "工作站显卡" is recalled with:
        | budget | 100 |
      Then the "hit rig" says:
        | form | content |
      And the "answer" says:
        | ledger.used | at least 41 |

  @req:budgeted-recall/budget-and-order-can-be-told-apart @must
  Rule: Budget and order can be told apart

    Scenario Outline: More hits bring what had no place
      Given an empty store
      And these memories are written:
        | key   | content                             |
        | three | The harbour crane inspection is due |
        | two   | The harbour crane stands idle       |
        | one   | The harbour lies in fog             |
      When "harbour crane inspection" is recalled with:
        | limit | <limit> |
      Then the "answer" says:
        | hits.length | <limit> |
        | hits[0].id  | key:three |
        | hits[2].id  | <last>  |

      Examples:
        | limit | last    |
        | 1     | null    |
        | 3     | key:one |
