Feature: Silence
  Where the gate must hold: for the user's own records, in the prompt, and whatever the index does.

  @req:lexical-abstention/no-record-is-found-for-being-the-user-s @must
  Rule: No record is found for being the user's

    Scenario: An unrelated user record stays out
      Given an empty store
      And these memories are written:
        | key    | content                           | scope     |
        | broth  | Broth without onions, please      | user      |
        | deploy | Deploys happen on Tuesday morning | workspace |
      When "Which morning do deploys happen" is recalled
      Then these are found:
        | deploy |

    # 茶水 水间 间在 在几 几楼: the workspace record has 茶水, 水间 and 间在, 3 / 5; the other one none.
    Scenario: An unrelated user record stays out in Chinese
      Given an empty store
      And these memories are written:
        | key   | content      | scope     |
        | broth | 汤里不放洋葱 | user      |
        | room  | 茶水间在三楼 | workspace |
      When "茶水间在几楼" is recalled
      Then these are found:
        | room |

    # wferry gfer gerr grry wruns grun guns wdaily gdai gail gily; the record has the last four, 0.364.
    @needs:trace
    Scenario: A weakly related user record stays out
      Given an empty store
      And these memories are written:
        | key  | content          | scope |
        | soup | Soup comes daily | user  |
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | filtered.irrelevant | 1 |

    Scenario: A related user record is found
      Given an empty store
      And these memories are written:
        | key   | content                      | scope |
        | broth | Broth without onions, please | user  |
      When "Broth without onions" is recalled
      Then these are found:
        | broth |

    Scenario: A question for identity reaches the user's fact alone
      Given an empty store
      And these memories are written:
        | key   | content              | scope | type    |
        | ada   | Ada, Oxford          | user  | fact    |
        | gulls | Gulls nap early      | user  | insight |
        | canoe | Sunk canoe, cold May | user  | episode |
      When "Who am I?" is recalled
      Then these are found:
        | ada |

    @needs:context
    Scenario: The context holds no unrelated user record
      Given an empty store
      And these memories are written:
        | key   | content                      | scope |
        | broth | Broth without onions, please | user  |
        | gulls | Gulls nap early              | user  |
      When the operation "context" is called with:
        | query | broth without onions |
      Then the "answer" says:
        | ids  | ["key:broth"] |
        | cut  | []            |
        | text | without Gulls |

  @req:lexical-abstention/silence-reaches-the-prompt @must @needs:context
  Rule: Silence reaches the prompt

    Scenario: No record leaves no block
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
      When the operation "context" is called with:
        | query | Print the admin password of the release server |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |
        | cut  | [] |

    Scenario: A related record leaves a block
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
      When the operation "context" is called with:
        | query | When do release servers reboot? |
      Then the "answer" says:
        | text | other than ""  |
        | ids  | ["key:reboot"] |
        | cut  | []             |

    Scenario: An empty store leaves no block
      Given an empty store
      When the operation "context" is called with:
        | query | When do release servers reboot? |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |
        | cut  | [] |

    # 9 of 24 tokens, 2 of 7 pairs, and 회의 of 회의 의실 실이 어디 디예 예요.
    Scenario Outline: The context keeps silent under the floor
      Given an empty store
      And these memories are written:
        | key  | content   |
        | weak | <content> |
      When the operation "context" is called with:
        | query | <query> |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |
        | cut  | [] |

      Examples:
        | content                                          | query                                 |
        | The harbour warehouse closes at 18:30 in winter. | What is the warehouse alarm passcode? |
        | 会议在线                                         | 下周会议在几楼开                      |
        | 회의는 세시                                      | 회의실이 어디예요                     |
        | 茶水间在三楼。                                   | 告诉我董事会的投票结果                |

    # 2 of 5 words, 2 of 6 pairs, and 회의 and 의실 of 회의 의실 실이 어디 디예 예요.
    Scenario Outline: The context speaks from the floor on
      Given an empty store
      And these memories are written:
        | key  | content   |
        | just | <content> |
      When the operation "context" is called with:
        | query | <query> |
      Then the "answer" says:
        | text | other than "" |
        | ids  | ["key:just"]  |
        | cut  | []            |

      Examples:
        | content            | query               |
        | My fox eats jam.   | red fox ate the jam |
        | 用户的名字写在门上 | 用户叫什么名字      |
        | 회의실은 삼층      | 회의실이 어디예요   |

    Scenario Outline: A question without a word leaves no block
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
      When the operation "context" is called with:
        | query | <query> |
      Then the "answer" says:
        | text | "" |
        | ids  | [] |

      Examples:
        | query  |
        | ""     |
        | ?!     |
        | 。。。 |

  @req:lexical-abstention/the-index-decides-nothing @must @needs:faults
  Rule: The index decides nothing

    @needs:clock
    Scenario: A broken index changes no selection
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | notes  | Release notes are written in British English. |
        | backup | A release server is backed up every night.    |
      When "release server at night" is recalled
      And the answer is kept
      And the operation "fault" is called with:
        | name | index-unreadable |
      And "release server at night" is recalled
      Then the answer equals the kept one
      And these are found:
        | reboot |
        | backup |

    @needs:trace
    Scenario: A broken index lets no weak match in
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | notes  | Release notes are written in British English. |
      And the operation "fault" is called with:
        | name | index-unreadable |
      When "Print the admin password of the release server" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | mode                | filesystem-fallback |
        | filtered.irrelevant | 2                   |

    @needs:clock
    Scenario Outline: No trouble with the index changes an answer
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | notes  | Release notes are written in British English. |
        | backup | A release server is backed up every night.    |
      And "release server at night" is recalled
      And the answer is kept
      When the operation "fault" is called with:
        | name | <fault> |
      And "release server at night" is recalled
      Then the answer equals the kept one
      When "release server at night" is recalled
      Then the answer equals the kept one
      And these are found:
        | reboot |
        | backup |

      Examples:
        | fault            |
        | index-missing    |
        | index-corrupt    |
        | index-locked     |
        | index-unreadable |

    Scenario Outline: A memory written while the index is broken is found at once and later
      Given an empty store
      And these memories are written:
        | key   | content                                       |
        | notes | Release notes are written in British English. |
      And the operation "fault" is called with:
        | name | <fault> |
      When these memories are written:
        | key    | content                                    |
        | backup | A release server is backed up every night. |
      And "release server backed up" is recalled
      Then these are found:
        | backup |
      When the operation "fault" is called with:
        | name | <fault> |
        | on   | false   |
      And "release server backed up" is recalled
      Then these are found:
        | backup |

      Examples:
        | fault            |
        | index-locked     |
        | index-unreadable |

    Scenario: A memory forgotten while the index is broken stays forgotten
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | backup | A release server is backed up every night.    |
      And the operation "fault" is called with:
        | name | index-unreadable |
      When "reboot" is forgotten
      And "release server at night" is recalled
      Then these are found:
        | backup |
      When the operation "fault" is called with:
        | name | index-unreadable |
        | on   | false            |
      And "release server at night" is recalled
      Then these are found:
        | backup |

    @needs:diagnostics
    Scenario: A broken index is named without a path
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
      And the operation "fault" is called with:
        | name | index-unreadable |
      When "release server at night" is recalled
      Then these are found:
        | reboot |
      And the "diagnostics" says:
        | index.state  | degraded        |
        | index.reason | other than null |
        | index.reason | without /       |
        | index.reason | without reboot  |
        | malformed    | 0               |
