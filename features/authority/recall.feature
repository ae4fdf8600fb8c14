Feature: Recall of claims
  What a claim is found by, from where, and in which order. Every claim here is stated by somebody, so its
  belief is 6 / 7 = .857142857 and .23 of that is .197142857.

  @req:claim-recall/claims-and-questions-have-the-same-terms @must
  Rule: Claims and questions have the same terms

    # The first claim has the terms ferry, runs and daily; of the second the pairs are 港口, 口起, 起重, 重机,
    # 机检 and 检修. A pair with 的 is dropped. 부산항 has the pairs 부산 and 산항, フェリー has フェ, ェリ and リー.
    @needs:authority @level:explain
    Scenario Outline: Relevance is the share of the question's terms
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
        | crane | 港口起重机检修       |
        | vi    | Vi stays open        |
        | korea | 부산항 시간표        |
        | japan | フェリー乗場         |
      When "<query>" is recalled
      And the operation "explain" is called with:
        | id | <key> |
      Then the "answer" says:
        | decisions[0].scores.relevance | <relevance> |

      Examples:
        | query                | key   | relevance   |
        | ferry runs daily     | ferry | 1           |
        | ferry runs violin    | ferry | 0.666666667 |
        | ferry violin         | ferry | 0.5         |
        | where is the ferry   | ferry | 1           |
        | ferry x              | ferry | 1           |
        | ferry ferry violin   | ferry | 0.5         |
        | FERRY Runs violin    | ferry | 0.666666667 |
        | ＦＥＲＲＹ violin    | ferry | 0.5         |
        | ferry, runs; daily?! | ferry | 1           |
        | 起重机               | crane | 1           |
        | 起重机坏             | crane | 0.666666667 |
        | 港口的起重机         | crane | 1           |
        | 起重 violin          | crane | 0.5         |
        | vi violin            | vi    | 0.5         |
        | 부산항 violin        | korea | 0.666666667 |
        | フェリー violin      | japan | 0.75        |

    @needs:authority
    Scenario Outline: A word in capitals is found
      Given an empty store
      And these memories are written:
        | key   | content   |
        | claim | <content> |
      When "<query>" is recalled
      Then these are found:
        | claim |

      Examples:
        | content        | query          |
        | FERRY tickets  | ferry          |
        | Éclair tickets | éclair         |
        | éclair tickets | ÉCLAIR         |
        | паром ходит    | ПАРОМ          |
        | ferry tickets  | ＦＥＲＲＹ     |

    @needs:authority @needs:tags
    Scenario: A claim is found by its tags
      Given an empty store
      And these memories are written:
        | key   | content                     | tags         |
        | ferry | The ferry runs daily        | harbour, sea |
        | other | Willow baskets dry outdoors | garden       |
      When "harbour" is recalled
      Then these are found:
        | ferry |

    @needs:authority @level:explain
    Scenario Outline: Traditional and simplified characters find each other
      Given an empty store
      And these memories are written:
        | key   | content   |
        | claim | <content> |
      When "<query>" is recalled
      Then these are found:
        | claim |
      When the operation "explain" is called with:
        | id | claim |
      Then the "answer" says:
        | decisions[0].scores.relevance | 1 |

      Examples:
        | content        | query  |
        | 港口起重機檢修 | 起重机 |
        | 港口起重机检修 | 檢修   |
        | 時刻表週二調整 | 时刻表 |

    @needs:authority @level:explain
    Scenario: At most 24 terms are asked
      Given an empty store
      And these memories are written:
        | key   | content                                                                                                                                                  |
        | claim | amber birch cedar daisy elder fennel garlic hazel iris jasmine kale larch maple nettle olive poplar quince rowan sorrel thyme ulmus violet willow yarrow |
      When "amber birch cedar daisy elder fennel garlic hazel iris jasmine kale larch maple nettle olive poplar quince rowan sorrel thyme ulmus violet willow yarrow one1 two2 three3 four4 five5 six6" is recalled
      And the operation "explain" is called with:
        | id | claim |
      Then the "answer" says:
        | decisions[0].scores.relevance | 1  |
        | runs[0].terms.length          | 24 |

    @needs:authority @level:explain
    Scenario: A claim has at most 80 terms
      Given an empty store
      And these memories are written:
        | key   | content                                                                                                                                                                                                                                                                                                                                                                                                         |
        | claim | n01 n02 n03 n04 n05 n06 n07 n08 n09 n10 n11 n12 n13 n14 n15 n16 n17 n18 n19 n20 n21 n22 n23 n24 n25 n26 n27 n28 n29 n30 n31 n32 n33 n34 n35 n36 n37 n38 n39 n40 n41 n42 n43 n44 n45 n46 n47 n48 n49 n50 n51 n52 n53 n54 n55 n56 n57 n58 n59 n60 n61 n62 n63 n64 n65 n66 n67 n68 n69 n70 n71 n72 n73 n74 n75 n76 n77 n78 n79 n80 n81 n82 n83 n84 n85 n86 n87 n88 n89 n90 n91 n92 n93 n94 n95 n96 n97 n98 n99 n00 |
      When the operation "explain" is called with:
        | id | claim |
      Then the "answer" says:
        | terms.length | 80 |

  @req:claim-recall/synonyms-meet-across-languages @should
  Rule: Synonyms meet across languages

    @needs:authority
    Scenario Outline: A word in the other language finds the claim
      Given an empty store
      And these memories are written:
        | key   | content                     |
        | claim | <content>                   |
        | other | Willow baskets dry outdoors |
      When "<query>" is recalled
      Then these are found:
        | claim |

      Examples:
        | content                      | query    |
        | The database moves to Lisbon | 数据库   |
        | 周五之前备份数据库           | database |
        | Olga deploys on Tuesdays     | 部署     |
        | 我们在周二部署               | deploy   |
        | The editor is Vim            | 编辑器   |

    # The terms of the question are database, the token of its group, and violin.
    @needs:authority @level:explain
    Scenario: A synonym counts beside its word
      Given an empty store
      And these memories are written:
        | key   | content                      |
        | claim | The database moves to Lisbon |
      When "database violin" is recalled
      And the operation "explain" is called with:
        | id | claim |
      Then the "answer" says:
        | decisions[0].scores.relevance | 0.666666667 |

  @req:claim-recall/a-place-is-a-key @must
  Rule: A place is a key

    @needs:authority
    Scenario: A claim of a session stays in its session
      Given an empty store
      And these memories are written:
        | key   | content              | scope   | session |
        | ferry | The ferry runs daily | session | s-1     |
      When "ferry runs daily" is recalled with:
        | session | s-1 |
      Then these are found:
        | ferry |
      When "ferry runs daily" is recalled with:
        | session | s-2 |
      Then nothing is found
      When "ferry runs daily" is recalled
      Then nothing is found

    @needs:authority @needs:workspaces
    Scenario: A claim of a workspace stays in its workspace
      Given an empty store
      And these memories are written:
        | key  | content              | workspace |
        | red  | The ferry runs daily | /w/red    |
        | blue | The ferry runs daily | /w/blue   |
      When "ferry runs daily" is recalled with:
        | workspace | /w/red |
      Then these are found:
        | red |
      When "ferry runs daily" is recalled with:
        | workspace | /w//blue/../blue/ |
      Then these are found:
        | blue |

    @needs:authority @needs:workspaces
    Scenario Outline: A global claim is found from everywhere
      Given an empty store
      And these memories are written:
        | key   | content              | scope  |
        | ferry | The ferry runs daily | global |
      When "ferry runs daily" is recalled with:
        | workspace | <workspace> |
      Then these are found:
        | ferry |

      Examples:
        | workspace |
        | /w/red    |
        | /w/blue   |

    @needs:authority @needs:workspaces
    Scenario: A claim without a scope is not global
      Given an empty store
      And these memories are written:
        | key   | content              | workspace |
        | ferry | The ferry runs daily | /w/red    |
      When "ferry runs daily" is recalled with:
        | workspace | /w/blue |
      Then nothing is found

    @needs:authority
    Scenario: A guess is never global
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The ferry runs daily", "scope": "global", "sources": [{"trust": "inferred"}]} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The ferry runs daily", "scope": "workspace", "sources": [{"trust": "inferred"}]} |
      Then the "answer" says:
        | outcome | created |
      When the operation "write" is called with:
        | record | {"content": "The ferry runs daily", "scope": "global", "sources": [{"trust": "explicit-user"}]} |
      Then the "answer" says:
        | outcome | created |

    @needs:authority
    Scenario: A claim of a session names it
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The ferry runs daily", "scope": "session"} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The ferry runs daily", "scope": "session", "session": "s-1"} |
      Then the "answer" says:
        | outcome | created |

    # The first 24 digits of the SHA-256 of /w/red.
    @needs:authority @needs:workspaces @level:exact
    Scenario: A key shows no path
      Given an empty store
      And these memories are written:
        | key   | content              | workspace |
        | ferry | The ferry runs daily | /w/red    |
      When "ferry runs daily" is recalled with:
        | workspace | /w/red |
        | session   | s-1    |
      And the operation "explain" is called with:
        | id        | ferry  |
        | workspace | /w/red |
      Then the "answer" says:
        | scopeKey             | workspace:a6f610d02cf1c400acf522c2 |
        | runs[0].workspaceKey | workspace:a6f610d02cf1c400acf522c2 |
        | runs[0].session      | s-1                                |
        | *                    | without /w/red                     |

    @needs:authority @level:exact
    Scenario Outline: A key names its session
      Given an empty store
      And these memories are written:
        | key   | content              | scope   | session |
        | ferry | The ferry runs daily | <scope> | s-1     |
      When the operation "explain" is called with:
        | id      | ferry |
        | session | s-1   |
      Then the "answer" says:
        | scopeKey | <key> |

      Examples:
        | scope   | key         |
        | session | session:s-1 |
        | global  | global      |

  @req:claim-recall/rank-adds-five-parts @must
  Rule: Rank adds five parts

    # The question has two terms and each claim one of them; 2026-01-01 is 180 days before 2026-06-30:
    # .62 x .5 + .197142857 + .15 x .5 = .582142857, and the boosts. A capsule with nothing in common has
    # .62 x .35 instead of .62 x .5.
    @needs:authority @needs:clock @level:exact
    Scenario Outline: The rank can be added up by hand
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content              | scope   | session | type   | updated at           |
        | ferry | The ferry runs daily | <scope> | s-1     | <kind> | 2026-01-01T00:00:00Z |
      When "<query>" is recalled with:
        | session | s-1 |
      And the operation "explain" is called with:
        | id      | ferry |
        | session | s-1   |
      Then the "answer" says:
        | decisions[0].channel          | <channel> |
        | decisions[0].scores.freshness | 0.5       |
        | decisions[0].rank             | <rank>    |

      Examples:
        | query        | scope     | kind       | channel | rank        |
        | ferry violin | global    | fact       | trigger | 0.582142857 |
        | ferry violin | workspace | fact       | trigger | 0.632142857 |
        | ferry violin | session   | fact       | trigger | 0.662142857 |
        | ferry violin | workspace | preference | trigger | 0.632142857 |
        | ferry violin | global    | preference | capsule | 0.702142857 |
        | soup violin  | global    | preference | capsule | 0.609142857 |
        | soup violin  | global    | constraint | capsule | 0.609142857 |

    @needs:authority @needs:clock @level:exact
    Scenario Outline: Freshness halves every 180 days
      Given an empty store with:
        | clock | 2026-01-01T00:00:00Z |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the clock shows "<now>"
      And "ferry runs daily" is recalled
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].scores.freshness | <freshness> |

      Examples:
        | now                  | freshness   |
        | 2026-01-01T00:00:00Z | 1           |
        | 2026-04-01T00:00:00Z | 0.707106781 |
        | 2026-06-30T00:00:00Z | 0.5         |
        | 2026-12-27T00:00:00Z | 0.25        |
        | 2025-12-31T00:00:00Z | 1           |

    @needs:authority @needs:clock @level:explain
    Scenario: Freshness counts from the last update
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content              | created at           | updated at           |
        | ferry | The ferry runs daily | 2025-07-05T00:00:00Z | 2026-01-01T00:00:00Z |
      When "ferry runs daily" is recalled
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].scores.freshness | 0.5 |

    # All three are dated in the future, so that each has a freshness of 1.
    @needs:authority @needs:clock
    Scenario: Of equal rank the newer comes first
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content              | updated at           |
        | a   | The ferry runs daily | 2026-07-01T00:00:00Z |
        | b   | The ferry runs daily | 2026-07-02T00:00:00Z |
        | c   | The ferry runs daily | 2026-07-01T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b |
        | a |
        | c |

    # .62 + .15 x .5 against .62 x .5 + .15.
    @needs:authority @needs:clock
    Scenario: The better match comes first
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key    | content                       | updated at           |
        | newer  | The ferry was painted         | 2026-06-30T00:00:00Z |
        | better | The ferry timetable was moved | 2026-01-01T00:00:00Z |
      When "ferry timetable" is recalled
      Then these are found in order:
        | better |
        | newer  |

    @needs:authority @needs:clock
    Scenario: The nearer place comes first
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content              | scope     | session |
        | far  | The ferry runs daily | global    |         |
        | here | The ferry runs daily | workspace |         |
        | now  | The ferry runs daily | session   | s-1     |
      When "ferry runs daily" is recalled with:
        | session | s-1 |
      Then these are found in order:
        | now  |
        | here |
        | far  |

    @needs:authority @needs:clock
    Scenario: What helped comes first
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content              |
        | a   | The ferry runs daily |
        | b   | The ferry runs daily |
        | c   | The ferry runs daily |
      And the operation "feedback" is called with:
        | id      | b      |
        | outcome | helped |
      And the operation "feedback" is called with:
        | id      | a     |
        | outcome | stale |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b |
        | c |
        | a |

  @req:claim-recall/trusted-capsules-need-no-shared-word @must
  Rule: Trusted capsules need no shared word

    @needs:authority
    Scenario: A global preference comes with any question
      Given an empty store
      And these memories are written:
        | key    | content                      | scope  | type       |
        | short  | Answers stay brief           | global | preference |
        | never  | Nobody pushes on Friday      | global | constraint |
        | fact   | The ferry runs daily         | global | fact       |
        | how    | Oil the crane before lifting | global | procedure  |
        | danger | The old pump leaks           | global | warning    |
      When "violin sonata rehearsal" is recalled
      Then these are found:
        | short |
        | never |

    @needs:authority @level:explain
    Scenario Outline: A capsule has a relevance of its own
      Given an empty store
      And these memories are written:
        | key   | content          | scope  | type       |
        | short | Sentences please | global | preference |
      When "<query>" is recalled
      And the operation "explain" is called with:
        | id | short |
      Then the "answer" says:
        | decisions.length              | 1           |
        | decisions[0].channel          | capsule     |
        | decisions[0].scores.relevance | <relevance> |

      Examples:
        | query                                 | relevance |
        | violin sonata                         | 0.35      |
        | sentences violin sonata soloist cello | 0.35      |
        | sentences violin                      | 0.5       |

    @needs:authority
    Scenario: A preference of a workspace is no capsule
      Given an empty store
      And these memories are written:
        | key  | content            | scope     | type       | session |
        | here | Answers stay brief | workspace | preference |         |
        | now  | Answers stay brief | session   | preference | s-1     |
      When "violin sonata rehearsal" is recalled with:
        | session | s-1 |
      Then nothing is found

    @needs:authority
    Scenario: At most two capsules come
      Given an empty store
      And these memories are written:
        | key | content              | scope  | type       |
        | a   | Answers stay brief   | global | preference |
        | b   | Tables before charts | global | preference |
        | c   | Metric units only    | global | constraint |
      And the operation "feedback" is called with:
        | id      | b      |
        | outcome | helped |
      And the operation "feedback" is called with:
        | id      | c      |
        | outcome | helped |
      When "violin sonata rehearsal" is recalled
      Then these are found:
        | b |
        | c |

    @needs:authority @needs:clock
    Scenario: Of equal belief the newest capsules come
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content              | scope  | type       | updated at           |
        | a   | Answers stay brief   | global | preference | 2026-06-01T00:00:00Z |
        | b   | Tables before charts | global | preference | 2026-06-03T00:00:00Z |
        | c   | Metric units only    | global | preference | 2026-06-02T00:00:00Z |
      When "violin sonata rehearsal" is recalled
      Then these are found in order:
        | b |
        | c |

    # 6 / 11 = .545.
    @needs:authority
    Scenario: A doubted preference is no capsule
      Given an empty store
      And these memories are written:
        | key | content              | scope  | type       |
        | a   | Answers stay brief   | global | preference |
        | b   | Tables before charts | global | preference |
      And the operation "feedback" is called with:
        | id      | a        |
        | outcome | conflict |
      When "violin sonata rehearsal" is recalled
      Then these are found:
        | b |

    # 7 / 10 = .7, 6 / 9 = .667.
    @needs:authority
    Scenario Outline: The belief of a capsule begins at its threshold
      Given an empty store
      And these memories are written:
        | key | content            | scope  | type       |
        | a   | Answers stay brief | global | preference |
      And the operation "feedback" is called with:
        | id      | a     |
        | outcome | stale |
      And the operation "feedback" is called with:
        | id      | a        |
        | outcome | <second> |
      When "violin sonata rehearsal" is recalled
      Then the "answer" says:
        | hits.length | <number> |

      Examples:
        | second  | number |
        | helped  | 1      |
        | unknown | 0      |

    # Of a (6 + 20) / (26 + 1 + 10) = .703, of b and c 7 / 10 = .7.
    @needs:authority
    Scenario: A preference in quarantine takes no place
      Given an empty store
      And these memories are written:
        | key | content              | scope  | type       |
        | a   | Answers stay brief   | global | preference |
        | b   | Tables before charts | global | preference |
        | c   | Metric units only    | global | preference |
      And 20 reports of "helped" are made on "a"
      And 2 reports of "harmful" are made on "a"
      And 1 reports of "helped" are made on "b"
      And 1 reports of "stale" are made on "b"
      And 1 reports of "helped" are made on "c"
      And 1 reports of "stale" are made on "c"
      When "violin sonata rehearsal" is recalled
      Then these are found:
        | b |
        | c |

    @needs:authority @needs:clock
    Scenario: Of equal belief and date the smallest ids come
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content              | scope  | type       |
        | b   | Answers stay brief   | global | preference |
        | c   | Tables before charts | global | preference |
        | a   | Metric units only    | global | preference |
      When "violin sonata rehearsal" is recalled
      Then these are found in order:
        | a |
        | b |

    @needs:authority @needs:clock @needs:validity
    Scenario: An expired preference is no capsule
      Given an empty store with:
        | clock | 2026-06-29T23:59:59Z |
      And these memories are written:
        | key | content            | scope  | type       | valid to             |
        | a   | Answers stay brief | global | preference | 2026-06-30T00:00:00Z |
      When "violin sonata rehearsal" is recalled
      Then these are found:
        | a |
      When the clock shows "2026-06-30T00:00:00Z"
      And "violin sonata rehearsal" is recalled
      Then nothing is found

    @needs:authority @needs:correct
    Scenario: A corrected preference comes once
      Given an empty store
      And these memories are written:
        | key | content            | scope  | type       |
        | old | Answers stay brief | global | preference |
      And the operation "correct" is called with:
        | id      | old                 |
        | content | Answers run at ease |
        | key     | new                 |
      When "violin sonata rehearsal" is recalled
      Then these are found:
        | new |

  @req:claim-recall/every-candidate-gets-a-decision @must
  Rule: Every candidate gets a decision

    @needs:authority @level:explain
    Scenario: An ignored claim has its decision
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry violin quantum soloist dentist bridge vaccine canteen beehive" is recalled
      Then nothing is found
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions[0].action           | ignore            |
        | decisions[0].reasons          | ["low_relevance"] |
        | decisions[0].scores.relevance | 0.111111111       |

    @needs:authority @level:explain
    Scenario: Sixteen claims are decided on
      Given an empty store
      And these memories are written:
        | key  | content              |
        | best | Ferry number beehive |
      And 30 memories are written like "Ferry number (n)"
      When "ferry beehive" is recalled
      Then the "answer" says:
        | hits.length | 16       |
        | hits[0].id  | key:best |
      When the operation "explain" is called with:
        | id | best |
      Then the "answer" says:
        | runs[0].candidates | 16 |

    @needs:authority @needs:clock
    Scenario: An old claim is found behind six hundred newer ones
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content                         | updated at           |
        | old | The beehive stands by the ferry | 2020-01-01T00:00:00Z |
      And 600 memories are written like "Ferry number (n)"
      When "ferry beehive" is recalled
      Then the "answer" says:
        | hits[0].id | key:old |

  @req:claim-recall/what-helped-is-found-by-a-paraphrase @must
  Rule: What helped is found by a paraphrase

    @needs:authority @needs:context
    Scenario: A claim that helped is found by the words of the question
      Given an empty store
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And "visitors" is recalled
      And the operation "context" is called with:
        | query | blue pot visitors |
      When the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      Then the "answer" says:
        | learned | ["visitors"] |
      When "visitors" is recalled
      Then these are found:
        | kettle |

    @needs:authority @needs:context
    Scenario: What was learned is told without the question
      Given an empty store
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And the operation "context" is called with:
        | query | Is the blue pot for visitors? |
      And the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      When the operation "explain" is called with:
        | id | kettle |
      Then the "answer" says:
        | learnedTerms | ["visitors"]         |
        | *            | without blue pot for |
        | *            | without Is the blue  |

    @needs:authority @needs:context
    Scenario Outline: Only help teaches
      Given an empty store
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And the operation "context" is called with:
        | query | blue pot visitors |
      When the operation "feedback" is called with:
        | id      | kettle    |
        | outcome | <outcome> |
      Then the "answer" says:
        | learned | [] |
      When the operation "explain" is called with:
        | id | kettle |
      Then the "answer" says:
        | learnedTerms | [] |

      Examples:
        | outcome  |
        | harmful  |
        | stale    |
        | conflict |
        | unknown  |

    @needs:authority
    Scenario: A question without an injection teaches nothing
      Given an empty store
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And "blue pot visitors" is recalled
      When the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      Then the "answer" says:
        | learned | [] |

    @needs:authority @needs:context @needs:clock
    Scenario Outline: A question teaches for fourteen days
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And the operation "context" is called with:
        | query | blue pot visitors |
      When the clock shows "<now>"
      And the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      Then the "answer" says:
        | learned | <learned> |

      Examples:
        | now                  | learned      |
        | 2026-06-15T00:00:00Z | ["visitors"] |
        | 2026-06-15T00:00:01Z | []           |

    # Each question has 3 terms of the claim, 3 / 24 = .125, and 21 others, together 42.
    @needs:authority @needs:context
    Scenario: At most forty terms are learned
      Given an empty store
      And these memories are written:
        | key    | content         |
        | kettle | Guests blue pot |
      And the operation "context" is called with:
        | query | guests blue pot a01 a02 a03 a04 a05 a06 a07 a08 a09 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 |
      And the operation "context" is called with:
        | query | guests blue pot b01 b02 b03 b04 b05 b06 b07 b08 b09 b10 b11 b12 b13 b14 b15 b16 b17 b18 b19 b20 b21 |
      When the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      Then the "answer" says:
        | learned.length | 40 |

    # Each of the questions has a word of its own; the first one is one too many.
    @needs:authority @needs:context
    Scenario: At most twenty questions teach
      Given an empty store
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And 21 questions for a prompt are asked like "blue pot visitor(n)"
      When the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      Then the "answer" says:
        | learned.length | 20 |
      When "visitor2" is recalled
      Then these are found:
        | kettle |
      When "visitor1" is recalled
      Then nothing is found

    @needs:authority @needs:context @needs:durable
    Scenario: What was learned outlasts a restart
      Given an empty store
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And the operation "context" is called with:
        | query | blue pot visitors |
      And the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      When the store is restarted
      And "visitors" is recalled
      Then these are found:
        | kettle |

    @needs:authority @needs:context @needs:clock
    Scenario: What was learned stays when more is learned
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And the operation "context" is called with:
        | query | blue pot visitors |
      And the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      When the clock shows "2026-06-21T00:00:00Z"
      And the operation "context" is called with:
        | query | blue pot strangers |
      And the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      Then the "answer" says:
        | learned | ["strangers"] |
      When "visitors" is recalled
      Then these are found:
        | kettle |
      When "strangers" is recalled
      Then these are found:
        | kettle |

    @needs:authority @needs:context @needs:clock
    Scenario: Learning leaves the date alone
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      When the clock shows "2026-06-02T00:00:00Z"
      And the operation "context" is called with:
        | query | blue pot visitors |
      And the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      Then the "answer" says:
        | learned | ["visitors"] |
      And the "record kettle" says:
        | times.updatedAt | 2026-06-01T00:00:00.000Z |
