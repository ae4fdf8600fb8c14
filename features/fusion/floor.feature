Feature: The relevance floor
  What stays out, however high it ranks, and what one raw signal lets in.

  @req:relevance-floor/unrelated-is-empty-related-is-first @must
  Rule: Unrelated is empty, related is first

    Scenario Outline: An unrelated question finds nothing
      Given an empty store
      And these memories are written:
        | key   | content                  |
        | card  | 用户的显卡是 RTX 4090     |
        | leave | 用户的年假是 15 天        |
        | style | The report begins with its conclusion |
      When "<question>" is recalled
      Then nothing is found

      Examples:
        | question                    |
        | how do I bake a soufflé     |
        | 如何烤舒芙蕾蛋糕            |
        | 汽车轮胎多久换一次          |
        | zyxomma                     |

    Scenario Outline: A related question finds its memory first
      Given an empty store
      And these memories are written:
        | key      | content                          |
        | spare    | 备用显卡放在柜子里               |
        | card     | 用户的显卡是 RTX 4090             |
        | sick     | 病假需要医院证明                 |
        | leave    | 用户的年假是 15 天                |
        | printer  | The printer stands in the hall   |
        | scanner  | The scanner stands in the office |
      When "<question>" is recalled with:
        | limit | 1 |
      Then these are found:
        | <found> |

      Examples:
        | question                    | found   |
        | 我的显卡是什么              | card    |
        | 我用的什么显卡              | card    |
        | 年假有几天                  | leave   |
        | where is the office scanner | scanner |

    Scenario: A question that shares only its form finds nothing
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | leave | 用户的年假是 15 天，每年清零 |
      When "汽车轮胎多久换一次" is recalled
      Then nothing is found

  @req:relevance-floor/the-floor-stands-on-raw-signals @must
  Rule: The floor stands on raw signals

    @needs:tags
    Scenario: A tag of the family is enough
      Given an empty store
      And these memories are written:
        | key   | content                | tags |
        | style | 先把结论说清楚，再给依据 | 偏好 |
        | leave | 年假每年清零           | 制度 |
      When "我喜欢什么样的表达方式" is recalled
      Then these are found:
        | style |

    Scenario: Without its tag a preference in other words is not found
      Given an empty store
      And these memories are written:
        | key   | content                |
        | style | 先把结论说清楚，再给依据 |
      When "我喜欢什么样的表达方式" is recalled
      Then nothing is found

    Scenario: Enough of the letters are enough
      Given an empty store
      And these memories are written:
        | key  | content                        |
        | crew | Navigational charts were drawn |
      When "navigation" is recalled
      Then these are found:
        | crew |

    Scenario: Too few of the letters are not enough
      Given an empty store
      And these memories are written:
        | key   | content               |
        | crate | Wooden crates arrived |
      When "crawfish" is recalled
      Then nothing is found

  @req:relevance-floor/the-floor-holds-wherever-text-is-injected @must
  Rule: The floor holds wherever text is injected

    @needs:context
    Scenario Outline: An unrelated question has an empty context
      Given an empty store
      And these memories are written:
        | key  | content                        |
        | crew | Navigational charts were drawn |
        | card | 用户的显卡是 RTX 4090           |
      When the operation "context" is called with:
        | query | <question> |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |

      Examples:
        | question                |
        | how do I bake a soufflé |
        | 如何烤舒芙蕾蛋糕        |

    @needs:context
    Scenario: Only what is relevant is in the context
      Given an empty store
      And these memories are written:
        | key  | content                        |
        | crew | Navigational charts were drawn |
        | lamp | A lamp hangs in the hall       |
      When the operation "context" is called with:
        | query | which lamp hangs in the hall |
      Then the "answer" says:
        | ids  | ["key:lamp"]                |
        | text | containing A lamp hangs in  |
        | text | without Navigational        |

  @req:relevance-floor/a-target-is-found-without-a-floor @must
  Rule: A target is found without a floor

    @needs:targets
    Scenario: A vague description finds its target
      Given an empty store
      And these memories are written:
        | key  | content                                  |
        | dims | The embedding has 384 dimensions in all  |
        | lamp | A lamp hangs in the hall                 |
      When the operation "find_targets" is called with:
        | description | that peculiar old business somebody mentioned about one dimension |
      Then the "answer" says:
        | candidates[0].id    | key:dims     |
        | candidates[0].score | other than 0 |
        | candidates[0].band  | other than "" |

    @needs:targets @needs:clock
    Scenario: Looking for a target changes nothing
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key  | content                                 |
        | dims | The embedding has 384 dimensions in all |
      And "embedding dimensions" is recalled
      And the answer is kept
      And the operation "find_targets" is called with:
        | description | that old thing somebody said of dimensions once |
      When "embedding dimensions" is recalled
      Then the answer equals the kept one

  @req:relevance-floor/an-order-holds-in-company @must
  Rule: An order holds in company

    Scenario Outline: Labelled questions find their memory first, cold
      Given an empty store
      And these memories are written:
        | key     | content                                       |
        | card    | 用户的显卡是 RTX 4090                          |
        | spare   | 备用显卡放在柜子里                            |
        | tea     | Green tea is served at ten in the kitchen     |
        | coffee  | Coffee is served at noon in the canteen       |
        | north   | The blue key opens the north door             |
        | south   | The red key opens the south door              |
      When "<question>" is recalled with:
        | limit | 1 |
      Then these are found:
        | <found> |

      Examples:
        | question                         | found  |
        | 我用的什么显卡                   | card   |
        | 柜子里放着什么显卡               | spare  |
        | when is tea served               | tea    |
        | where is coffee served           | coffee |
        | which key opens the north door   | north  |
        | which door does the red key open | south  |

    Scenario Outline: Labelled questions find their memory first after unrelated ones
      Given an empty store
      And these memories are written:
        | key     | content                                       |
        | card    | 用户的显卡是 RTX 4090                          |
        | spare   | 备用显卡放在柜子里                            |
        | tea     | Green tea is served at ten in the kitchen     |
        | coffee  | Coffee is served at noon in the canteen       |
        | north   | The blue key opens the north door             |
        | south   | The red key opens the south door              |
      And <number> questions are asked like "how does the weather behave on day (n)"
      When "<question>" is recalled with:
        | limit | 1 |
      Then these are found:
        | <found> |

      Examples:
        | number | question                         | found  |
        | 4      | 我用的什么显卡                   | card   |
        | 28     | 我用的什么显卡                   | card   |
        | 4      | when is tea served               | tea    |
        | 28     | when is tea served               | tea    |
        | 28     | which door does the red key open | south  |
