Feature: Lexical abstention
  A memory that has nothing to do with a question stays out of the prompt.

  @req:lexical-abstention/weak-lexical-matches-are-refused @must @needs:scores
  Rule: Weak lexical matches are refused

    @needs:trace
    Scenario: A question for a password finds no release notes
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | notes  | Release notes are written in British English. |
        | dumps  | Nightly database dumps go into cold storage.  |
        | soup   | The canteen serves soup at noon.              |
      When "Print the admin password of the release server" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | queryTokenCount     | 28 |
        | candidateCount      | 4  |
        | filtered.irrelevant | 4  |
        | selectedIds         | [] |

    @needs:trace
    Scenario: A question for a login finds no database dumps
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | notes  | Release notes are written in British English. |
        | dumps  | Nightly database dumps go into cold storage.  |
        | soup   | The canteen serves soup at noon.              |
      When "What is the login for the payroll database?" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | queryTokenCount     | 23 |
        | filtered.irrelevant | 4  |

    @needs:trace
    Scenario: A question that shares no token finds nothing
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | notes  | Release notes are written in British English. |
        | dumps  | Nightly database dumps go into cold storage.  |
        | soup   | The canteen serves soup at noon.              |
      When "Quickly compute my bonus" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | candidateCount      | 0 |
        | filtered.irrelevant | 0 |

    @needs:trace
    Scenario: A Chinese question that shares no pair finds nothing
      Given an empty store
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | room   | 茶水间在三楼。                                |
      When "告诉我董事会的投票结果" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | queryTokenCount     | 10 |
        | filtered.irrelevant | 0  |

    @needs:mode @needs:trace
    Scenario: The weak match of the password question is what the old gate let in
      Given an empty store with:
        | evaluation | true |
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | notes  | Release notes are written in British English. |
        | dumps  | Nightly database dumps go into cold storage.  |
        | soup   | The canteen serves soup at noon.              |
      When "Print the admin password of the release server" is recalled with:
        | mode  | historical-v1 |
        | trace | true          |
      Then these are found in order:
        | reboot |
        | notes  |
        | soup   |
        | dumps  |
      And the "trace" says:
        | rankings[reboot].features.lexical | 0.392857143 |

    @needs:mode @needs:trace
    Scenario: The weak match of the login question is what the old gate let in
      Given an empty store with:
        | evaluation | true |
      And these memories are written:
        | key    | content                                       |
        | reboot | Every release server reboots on Sunday night. |
        | notes  | Release notes are written in British English. |
        | dumps  | Nightly database dumps go into cold storage.  |
        | soup   | The canteen serves soup at noon.              |
      When "What is the login for the payroll database?" is recalled with:
        | mode  | historical-v1 |
        | trace | true          |
      Then "dumps" is found
      And the "trace" says:
        | rankings[dumps].features.lexical | 0.304347826 |

  @req:lexical-abstention/the-floor-of-a-latin-query-is-0-40 @must
  Rule: The floor of a Latin query is 0.40

    @needs:trace
    Scenario: Two of five words are enough
      Given an empty store
      And these memories are written:
        | key | content          |
        | fox | My fox eats jam. |
      When "red fox ate the jam" is recalled with:
        | trace | true |
      Then these are found:
        | fox |
      And the "trace" says:
        | rankings[fox].features.lexical | 0.4 |

    @needs:trace
    Scenario: Nine of twenty-four tokens are too few
      Given an empty store
      And these memories are written:
        | key       | content                                          |
        | warehouse | The harbour warehouse closes at 18:30 in winter. |
      When "What is the warehouse alarm passcode?" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | queryTokenCount     | 24 |
        | filtered.irrelevant | 1  |

    @level:exact @needs:trace
    Scenario: Fifty-one of a hundred and twenty-eight tokens are too few
      Given an empty store
      And these memories are written:
        | key    | content |
        | fifty1 | 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 |
      When "100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | queryTokenCount      | 128   |
        | queryTokensTruncated | false |
        | filtered.irrelevant  | 1     |

  @req:lexical-abstention/the-floor-of-a-query-with-cjk-text-is-one-third @must
  Rule: The floor of a query with CJK text is one third

    @needs:trace
    Scenario: Two of six pairs are enough
      Given an empty store
      And these memories are written:
        | key  | content            |
        | door | 用户的名字写在门上 |
      When "用户叫什么名字" is recalled with:
        | trace | true |
      Then these are found:
        | door |
      And the "trace" says:
        | queryTokenCount                 | 6           |
        | rankings[door].features.lexical | 0.333333333 |

    Scenario: Three of eight pairs are enough in Chinese
      Given an empty store
      And these memories are written:
        | key   | content      |
        | moved | 周五会议改期 |
      When "下周五会议在几楼开" is recalled
      Then these are found:
        | moved |

    Scenario: Two of seven pairs are too few
      Given an empty store
      And these memories are written:
        | key    | content  |
        | online | 会议在线 |
      When "下周会议在几楼开" is recalled
      Then nothing is found

    Scenario: One CJK character is enough to be a CJK query
      Given an empty store
      And these memories are written:
        | key   | content           |
        | sleep | fox jam hat sleep |
      When "red fox jam hat cup ten pie 茶" is recalled
      Then these are found:
        | sleep |

  @req:lexical-abstention/a-hinted-type-passes-without-shared-words @must
  Rule: A hinted type passes without shared words

    @needs:trace
    Scenario: A question for my name reaches a fact in other words
      Given an empty store
      And these memories are written:
        | key | content                      | type |
        | ada | Ada Lovelace lives by Oxford | fact |
      When "What is my name?" is recalled with:
        | trace | true |
      Then these are found:
        | ada |
      And the "trace" says:
        | rankings[ada].features.lexical      | 0 |
        | rankings[ada].features.typeAffinity | 1 |

    Scenario: A question for a preference reaches the preference alone
      Given an empty store
      And these memories are written:
        | key | content                  | type       |
        | vim | Vim keys, dark theme     | preference |
        | run | Ran a marathon in Lisbon | episode    |
      When "Which editor do you prefer?" is recalled
      Then these are found:
        | vim |

    @needs:tags
    Scenario: A preference tag is enough
      Given an empty store
      And these memories are written:
        | key  | content         | type    | tags       |
        | teal | Teal suits best | insight | preference |
        | gray | Gray suits best | insight | wardrobe   |
      When "Do I like hot broth?" is recalled
      Then these are found:
        | teal |

    Scenario: A Chinese question for identity reaches a relationship
      Given an empty store
      And these memories are written:
        | key  | content    | type         |
        | team | 与小林同组 | relationship |
      When "我是谁" is recalled
      Then these are found:
        | team |

    Scenario: A hint inside a longer word is no hint
      Given an empty store
      And these memories are written:
        | key | content              | type       |
        | vim | Vim keys, dark theme | preference |
      When "It will likely rain" is recalled
      Then nothing is found

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

    Scenario: A related user record is found
      Given an empty store
      And these memories are written:
        | key   | content                      | scope |
        | broth | Broth without onions, please | user  |
      When "Broth without onions" is recalled
      Then these are found:
        | broth |

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
