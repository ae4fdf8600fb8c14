Feature: Unrelated means nothing

  @req:memory-core/unrelated-means-nothing @must
  Rule: Unrelated means nothing

    Scenario Outline: An unrelated English question finds nothing
      Given an empty store
      And these memories are written:
        | key    | content                              |
        | crane  | The harbour crane needs new brakes   |
        | ferry  | The ferry timetable changes in March |
        | bakery | Olga runs the corner bakery          |
        | bees   | Two beehives stand behind the school |
      When "<query>" is recalled
      Then nothing is found

      Examples:
        | query                       |
        | violin sonata rehearsal     |
        | Which dentist fits bridges? |
        | quantum physics             |
        | vaccination                 |

    Scenario Outline: An unrelated Chinese question finds nothing
      Given an empty store
      And these memories are written:
        | key    | content                |
        | crane  | 港口起重机需要更换刹车 |
        | ferry  | 渡轮时刻表三月调整     |
        | bakery | 奶奶经营街角面包店     |
      When "<query>" is recalled
      Then nothing is found

      Examples:
        | query              |
        | 小提琴奏鸣曲排练   |
        | 哪位牙医会做烤瓷牙 |
        | 量子物理           |
        | 疫苗               |

    Scenario Outline: A question in the other language finds nothing unrelated
      Given an empty store
      And these memories are written:
        | key    | content                            |
        | crane  | The harbour crane needs new brakes |
        | bakery | 奶奶经营街角面包店                 |
      When "<query>" is recalled
      Then nothing is found

      Examples:
        | query            |
        | 小提琴奏鸣曲     |
        | violin sonata    |
        | violin 小提琴    |
        | バイオリンの練習 |
        | 바이올린 소나타  |

    Scenario: An unrelated question after a related one finds nothing
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | crane | The harbour crane needs new brakes   |
        | ferry | The ferry timetable changes in March |
      And "crane brakes" is recalled
      When "violin sonata rehearsal" is recalled
      Then nothing is found

    Scenario: An unrelated question asked again finds nothing
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | crane | The harbour crane needs new brakes   |
        | ferry | The ferry timetable changes in March |
      And "violin sonata rehearsal" is recalled
      When "violin sonata rehearsal" is recalled
      Then nothing is found

    Scenario Outline: A made-up word finds nothing
      Given an empty store
      And these memories are written:
        | key    | content                              |
        | crane  | The harbour crane needs new brakes   |
        | ferry  | The ferry timetable changes in March |
        | bakery | Olga runs the corner bakery          |
        | bees   | Two beehives stand behind the school |
      When "<query>" is recalled
      Then nothing is found

      Examples:
        | query           |
        | zqxjvkwp        |
        | 8843917         |
        | gluvitz mopquix |

    Scenario: A related question finds its memory alone
      Given an empty store
      And these memories are written:
        | key    | content                              |
        | crane  | The harbour crane needs new brakes   |
        | ferry  | The ferry timetable changes in March |
        | bakery | Olga runs the corner bakery          |
        | bees   | Two beehives stand behind the school |
      When "corner bakery" is recalled
      Then these are found:
        | bakery |

    Scenario Outline: Shared English function words are no answer
      Given an empty store
      And these memories are written:
        | key   | content                                      |
        | crane | The harbour crane is rusting at the far pier |
      When "<query>" is recalled
      Then nothing is found

      Examples:
        | query                                            |
        | Where is the violin of our young soloist kept?   |
        | the dentist is at lunch with a vaccinated cousin |

    Scenario Outline: Shared Chinese function words are no answer
      Given an empty store
      And these memories are written:
        | key   | content                |
        | crane | 港口的起重机是去年买的 |
      When "<query>" is recalled
      Then nothing is found

      Examples:
        | query                  |
        | 谁的小提琴是最贵的呢   |
        | 牙医的诊所是不是搬走了 |

    Scenario Outline: Function words that no memory holds find nothing
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      When "<query>" is recalled
      Then nothing is found

      Examples:
        | query              |
        | the                |
        | what is this       |
        | to be or not to be |
        | of and in at       |

    Scenario Outline: Function words that a memory holds count as declared
      Given an empty store
      And these memories are written:
        | key   | content                                      |
        | crane | The harbour crane is rusting at the far pier |
      When "<query>" is recalled
      Then the "answer" says:
        | hits.length | by stopWords: filtered 0, kept 1 |

      Examples:
        | query     |
        | the       |
        | is at the |

    @needs:context
    Scenario Outline: An unrelated English question has no context
      Given an empty store
      And these memories are written:
        | key    | content                              |
        | crane  | The harbour crane needs new brakes   |
        | ferry  | The ferry timetable changes in March |
        | bakery | Olga runs the corner bakery          |
      When the operation "context" is called with:
        | query | <query> |
      Then the "answer" says:
        | ids  | []               |
        | cut  | []               |
        | text | without "crane"  |
        | text | without "ferry"  |
        | text | without "bakery" |

      Examples:
        | query                       |
        | violin sonata rehearsal     |
        | Which dentist fits bridges? |

    @needs:context
    Scenario Outline: An unrelated Chinese question has no context
      Given an empty store
      And these memories are written:
        | key    | content                |
        | crane  | 港口起重机需要更换刹车 |
        | ferry  | 渡轮时刻表三月调整     |
        | bakery | 奶奶经营街角面包店     |
      When the operation "context" is called with:
        | query | <query> |
      Then the "answer" says:
        | ids  | []               |
        | cut  | []               |
        | text | without "起重机" |
        | text | without "时刻表" |
        | text | without "面包店" |

      Examples:
        | query              |
        | 小提琴奏鸣曲排练   |
        | 哪位牙医会做烤瓷牙 |

    @needs:context
    Scenario: A made-up word has no context
      Given an empty store
      And these memories are written:
        | key    | content                              |
        | crane  | The harbour crane needs new brakes   |
        | ferry  | The ferry timetable changes in March |
        | bakery | Olga runs the corner bakery          |
      When the operation "context" is called with:
        | query | zqxjvkwp |
      Then the "answer" says:
        | ids  | []               |
        | cut  | []               |
        | text | without "crane"  |
        | text | without "ferry"  |
        | text | without "bakery" |

    @needs:context
    Scenario: An unrelated question after a related one has no context
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | crane | The harbour crane needs new brakes   |
        | ferry | The ferry timetable changes in March |
      And the operation "context" is called with:
        | query | crane brakes |
      When the operation "context" is called with:
        | query | violin sonata rehearsal |
      Then the "answer" says:
        | ids  | []               |
        | cut  | []               |
        | text | without "crane"  |
        | text | without "ferry"  |

    @needs:context
    Scenario: A related question has its memory in the context
      Given an empty store
      And these memories are written:
        | key    | content                              |
        | crane  | The harbour crane needs new brakes   |
        | ferry  | The ferry timetable changes in March |
        | bakery | Olga runs the corner bakery          |
      When the operation "context" is called with:
        | query | corner bakery |
      Then the "answer" says:
        | text | other than ""  |
        | ids  | ["key:bakery"] |
        | cut  | []             |

    @needs:context
    Scenario: A related Chinese question has its memory in the context
      Given an empty store
      And these memories are written:
        | key    | content                |
        | crane  | 港口起重机需要更换刹车 |
        | ferry  | 渡轮时刻表三月调整     |
        | bakery | 奶奶经营街角面包店     |
      When the operation "context" is called with:
        | query | 面包店 |
      Then the "answer" says:
        | text | other than ""  |
        | ids  | ["key:bakery"] |
        | cut  | []             |
