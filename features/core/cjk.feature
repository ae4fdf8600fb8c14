Feature: CJK text is found

  A question is asked alone; a short one is two or three characters out of the middle of a sentence.

  @req:memory-core/cjk-text-is-found @must
  Rule: CJK text is found

    Scenario Outline: Two Chinese characters find their sentence
      Given an empty store
      And these memories are written:
        | key   | content                |
        | crane | 港口起重机每逢周二检修 |
        | tea   | 奶奶爱喝茉莉花茶       |
      When "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query  | key   |
        | 港口   | crane |
        | 起重   | crane |
        | 周二   | crane |
        | 检修   | crane |
        | 奶奶   | tea   |
        | 茉莉   | tea   |
        | 花茶   | tea   |
        | 起重机 | crane |

    Scenario Outline: Two Japanese characters find their sentence
      Given an empty store
      And these memories are written:
        | key   | content                        |
        | crane | 港のクレーンは火曜日に点検する |
        | tea   | 祖母はほうじ茶をよく飲みます   |
      When "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query    | key   |
        | 火曜     | crane |
        | 点検     | crane |
        | クレーン | crane |
        | レーン   | crane |
        | 祖母     | tea   |
        | ほうじ   | tea   |

    Scenario Outline: Two Korean syllables find their sentence
      Given an empty store
      And these memories are written:
        | key   | content                          |
        | crane | 항구크레인은 화요일마다 점검한다 |
        | tea   | 할머니께서 보리차를 자주 드신다  |
      When "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query  | key   |
        | 항구   | crane |
        | 크레인 | crane |
        | 화요일 | crane |
        | 점검   | crane |
        | 보리차 | tea   |
        | 할머니 | tea   |

    Scenario Outline: A whole CJK sentence finds itself
      Given an empty store
      And these memories are written:
        | key      | content                          |
        | chinese  | 港口起重机每逢周二检修           |
        | japanese | 祖母はほうじ茶をよく飲みます     |
        | korean   | 항구크레인은 화요일마다 점검한다 |
      When "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query                            | key      |
        | 港口起重机每逢周二检修           | chinese  |
        | 祖母はほうじ茶をよく飲みます     | japanese |
        | 항구크레인은 화요일마다 점검한다 | korean   |

    Scenario Outline: A CJK memory written after a question is found
      Given an empty store
      And these memories are written:
        | key   | content            |
        | other | 渡轮时刻表三月调整 |
      And "时刻表" is recalled
      When these memories are written:
        | key   | content   |
        | later | <content> |
      And "<query>" is recalled
      Then these are found:
        | later |

      Examples:
        | content                          | query  |
        | 港口起重机每逢周二检修           | 起重   |
        | 祖母はほうじ茶をよく飲みます     | ほうじ |
        | 항구크레인은 화요일마다 점검한다 | 크레인 |

    @needs:batch
    Scenario Outline: A CJK memory of a batch is found
      Given an empty store
      And these memories are written in one batch:
        | key      | content                          |
        | chinese  | 港口起重机每逢周二检修           |
        | japanese | 祖母はほうじ茶をよく飲みます     |
        | korean   | 항구크레인은 화요일마다 점검한다 |
      When "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query  | key      |
        | 起重   | chinese  |
        | ほうじ | japanese |
        | 크레인 | korean   |

    Scenario Outline: A Latin word inside CJK text is found
      Given an empty store
      And these memories are written:
        | key   | content            |
        | mixed | <content>          |
        | other | 渡轮时刻表三月调整 |
      When "<query>" is recalled
      Then these are found:
        | mixed |

      Examples:
        | content                    | query      |
        | 我们用Redis缓存会话        | Redis      |
        | 集群部署在Kubernetes上面   | kubernetes |
        | 新显卡型号RTX4090已到货    | RTX4090    |
        | 会議室はBerlin棟にあります | Berlin     |
        | 서버는Frankfurt에있습니다  | Frankfurt  |
        | 合同编号POL-358，已签字    | POL-358    |

    Scenario: A CJK word inside Latin text is found
      Given an empty store
      And these memories are written:
        | key   | content                                 |
        | lunch | Team lunch on Friday is at 海底捞 again |
        | crane | The harbour crane needs new brakes      |
      When "海底捞" is recalled
      Then these are found:
        | lunch |

    Scenario: A question in both scripts finds mixed text
      Given an empty store
      And these memories are written:
        | key   | content             |
        | mixed | 我们用Redis缓存会话 |
        | other | 渡轮时刻表三月调整  |
      When "Redis 缓存" is recalled
      Then these are found:
        | mixed |

    Scenario Outline: Full and half width find each other
      Given an empty store
      And these memories are written:
        | key   | content            |
        | width | <content>          |
        | other | 渡轮时刻表三月调整 |
      When "<query>" is recalled
      Then these are found:
        | width |

      Examples:
        | content                | query        |
        | 合同编号ＰＯＬ３５８   | POL358       |
        | 合同编号POL358         | ＰＯＬ３５８ |
        | 仓库电话５５５０１９９ | 5550199      |
        | Gate ｐｌａｎ is ready | plan         |

    Scenario Outline: Chinese punctuation is no obstacle
      Given an empty store
      And these memories are written:
        | key   | content                  |
        | crane | 港口的起重机，周二检修。 |
        | other | 渡轮时刻表三月调整       |
      When "<query>" is recalled
      Then these are found:
        | crane |

      Examples:
        | query          |
        | 起重机，检修？ |
        | 《起重机》     |
        | “检修”         |
        | 【周二】       |

    @needs:durable
    Scenario Outline: A restart keeps CJK text findable
      Given an empty store
      And these memories are written:
        | key      | content                          |
        | chinese  | 港口起重机每逢周二检修           |
        | japanese | 祖母はほうじ茶をよく飲みます     |
        | korean   | 항구크레인은 화요일마다 점검한다 |
      When the store is restarted
      And "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query  | key      |
        | 起重   | chinese  |
        | ほうじ | japanese |
        | 크레인 | korean   |
