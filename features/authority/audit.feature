Feature: The audit
  What can be read of a claim afterwards, and what is never kept. The secrets here are made up.

  @req:claim-audit/a-run-keeps-no-prompt @must
  Rule: A run keeps no prompt

    # The SHA-256 of the question in UTF-8; does, the and on are stop words.
    @needs:authority @level:exact
    Scenario: A retrieval is kept as a hash and terms
      Given an empty store
      And these memories are written:
        | key   | content                |
        | ferry | The ferry run is short |
      When "Does the ferry run on Sundays?" is recalled
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | runs.length       | 1                                                                |
        | runs[0].queryHash | 3dc9531d1fa242cdb61a59c450578287a56ebdce42e0ac8e45e973fac265867e |
        | runs[0].terms     | ["ferry", "run", "sundays"]                                      |
        | *                 | without Does the                                                 |
        | *                 | without on Sundays                                               |

    @needs:authority
    Scenario: A run says where it was asked from
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry" is recalled with:
        | session | s-1 |
      And "ferry" is recalled
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | runs.length     | 2    |
        | runs[1].session | s-1  |
        | runs[0].session | null |

    @needs:authority
    Scenario: A run counts its candidates
      Given an empty store
      And these memories are written:
        | key   | content               |
        | a     | The ferry runs daily  |
        | b     | The ferry was painted |
        | other | Olga bakes bread      |
      When "ferry" is recalled
      And the operation "explain" is called with:
        | id | a |
      Then the "answer" says:
        | runs[0].candidates | 2 |

  @req:claim-audit/what-was-decided-can-be-read-afterwards @must
  Rule: What was decided can be read afterwards

    @needs:authority @needs:clock
    Scenario: Decisions are told, the newest first
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And "ferry" is recalled
      And the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      When the clock shows "2026-06-02T00:00:00Z"
      And "ferry" is recalled
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | decisions.length           | 2                        |
        | decisions[0].at            | 2026-06-02T00:00:00.000Z |
        | decisions[0].action        | verify                   |
        | decisions[0].scores.belief | 0.5                      |
        | decisions[1].at            | 2026-06-01T00:00:00.000Z |
        | decisions[1].action        | use                      |
        | decisions[1].scores.belief | 0.857142857              |
        | risk                       | 0.5                      |

    @needs:authority @needs:clock
    Scenario: Evidence says what it added
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "feedback" is called with:
        | id      | ferry  |
        | outcome | helped |
      When the clock shows "2026-06-02T00:00:00Z"
      And the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | evidence.length     | 2                        |
        | evidence[0].outcome | harmful                  |
        | evidence[0].alpha   | 0                        |
        | evidence[0].beta    | 5                        |
        | evidence[0].at      | 2026-06-02T00:00:00.000Z |
        | evidence[1].outcome | helped                   |
        | evidence[1].alpha   | 1                        |
        | evidence[1].beta    | 0                        |
        | evidence[1].at      | 2026-06-01T00:00:00.000Z |

    @needs:authority @needs:clock
    Scenario: A note is kept in the words of its writer
      Given an empty store with:
        | clock | 2026-06-01T00:00:00Z |
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "feedback" is called with:
        | id      | ferry                             |
        | outcome | stale                             |
        | note    | Since May it <only> runs 每周二。 |
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | consumption.length     | 1                                 |
        | consumption[0].outcome | stale                             |
        | consumption[0].note    | Since May it <only> runs 每周二。 |
        | consumption[0].at      | 2026-06-01T00:00:00.000Z          |

    @needs:authority @needs:context @needs:durable
    Scenario: The audit outlasts a restart
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And the operation "context" is called with:
        | query | ferry |
      And the operation "feedback" is called with:
        | id      | ferry    |
        | outcome | conflict |
      When the store is restarted
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | belief.beta         | 5        |
        | decisions.length    | 1        |
        | injections.length   | 1        |
        | runs.length         | 1        |
        | evidence[0].outcome | conflict |
        | consumption.length  | 1        |

    @needs:authority @needs:shared
    Scenario: Another connection reads the audit
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And "ferry" is recalled
      And the operation "feedback" is called with:
        | id      | ferry |
        | outcome | stale |
      When the second connection is used
      And the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | belief.beta        | 3 |
        | decisions.length   | 1 |
        | consumption.length | 1 |

    @needs:authority @needs:workspaces
    Scenario: A claim of another place is not explained
      Given an empty store
      And these memories are written:
        | key   | content              | workspace |
        | ferry | The ferry runs daily | /w/red    |
      When the operation "explain" is called with:
        | id        | ferry   |
        | workspace | /w/blue |
      Then the call is refused as "not_found"
      When the operation "explain" is called with:
        | id        | ferry  |
        | workspace | /w/red |
      Then the "answer" says:
        | id | key:ferry |

    @needs:authority
    Scenario: Explaining changes nothing
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And "ferry" is recalled
      When the operation "explain" is called with:
        | id | ferry |
      And the answer is kept
      And the operation "explain" is called with:
        | id | ferry |
      Then the answer equals the kept one

  @req:claim-audit/the-newest-5-000-runs-are-kept @must
  Rule: The newest 5,000 runs are kept

    # The first run is that of the message: it is the oldest of 5,000, and then of 5,001.
    @needs:authority @needs:context @slow
    Scenario: The newest 5,000 runs are told
      Given an empty store
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      And the operation "context" is called with:
        | query | blue pot |
      When 4999 questions are asked like "violin (n)"
      And the operation "explain" is called with:
        | id | kettle |
      Then the "answer" says:
        | decisions.length  | 1 |
        | injections.length | 1 |
        | runs.length       | 1 |
      When 1 questions are asked like "violin (n)"
      And the operation "explain" is called with:
        | id | kettle |
      Then the "answer" says:
        | decisions          | [] |
        | injections         | [] |
        | runs               | [] |
        | evidence.length    | 1  |
        | consumption.length | 1  |

  @req:claim-audit/an-older-database-is-brought-up-to-date @must
  Rule: An older database is brought up to date

    @needs:authority @needs:faults
    Scenario: A database of version 1 is brought up to date
      Given an empty store
      And these memories are written:
        | key   | content                  | tags    |
        | ferry | The ferry runs daily     | harbour |
        | crane | The crane is being oiled |         |
      And "ferry" is recalled
      And the operation "feedback" is called with:
        | id      | ferry       |
        | outcome | harmful     |
        | note    | not on ice  |
      And "crane" is forgotten
      When the operation "fault" is called with:
        | name | database-older |
      And "harbour" is recalled
      Then these are found:
        | ferry |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | terms               | ["ferry", "runs", "daily", "harbour"] |
        | belief.beta         | 6                                     |
        | belief.harmfulCount | 1                                     |
        | evidence[0].outcome | harmful                               |
        | evidence[0].beta    | 5                                     |
        | consumption[0].note | not on ice                            |
        | decisions.length    | 2                                     |
      When the operation "explain" is called with:
        | id | crane |
      Then the call is answered
      And the "answer" says:
        | state | tombstoned |
      When "crane oiled" is recalled
      Then nothing is found

    @needs:authority @needs:faults
    Scenario: A database of a newer version is left alone
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "fault" is called with:
        | name | database-newer |
      And "ferry" is recalled
      Then the call is refused as "unavailable"
      When the operation "fault" is called with:
        | name | database-newer |
        | on   | false          |
      And "ferry" is recalled
      Then these are found:
        | ferry |

  @req:claim-audit/the-disk-holds-no-more-than-the-audit @must
  Rule: The disk holds no more than the audit

    @needs:authority @needs:storage
    Scenario: The folder is its owner's alone
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "storage" is called with:
        | texts | ["The ferry runs daily"] |
      Then the "answer" says:
        | ownerOnly | true                     |
        | found     | ["The ferry runs daily"] |

    @needs:authority @needs:storage @needs:context
    Scenario: No question reaches the disk
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "Does the Zanzibar ferry leave at dawn?" is recalled
      And the operation "context" is called with:
        | query | Does the Zanzibar ferry leave at dawn? |
      And the operation "storage" is called with:
        | texts | ["Does", "the Zanzibar", "zanzibar ferry", "ferry leave", "at dawn", "zanzibar"] |
      Then the "answer" says:
        | found | ["zanzibar"] |

    @needs:authority @needs:storage @needs:workspaces
    Scenario: No path reaches the disk
      Given an empty store
      And these memories are written:
        | key   | content              | workspace             |
        | ferry | The ferry runs daily | /w/zanzibar/warehouse |
      When "ferry" is recalled with:
        | workspace | /w/zanzibar/warehouse |
      Then these are found:
        | ferry |
      When the operation "storage" is called with:
        | texts | ["The ferry runs daily", "/w/zanzibar", "zanzibar", "warehouse"] |
      Then the "answer" says:
        | found | ["The ferry runs daily"] |

    @needs:authority @needs:storage @needs:correct
    Scenario Outline: No secret reaches the disk
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "write" is called with:
        | record | {"content": "Note for later: <secret>"} |
      Then the call is refused as "invalid"
      When the operation "correct" is called with:
        | id      | ferry          |
        | content | Ferry <secret> |
      Then the call is refused as "invalid"
      When the operation "feedback" is called with:
        | id      | ferry    |
        | outcome | helped   |
        | note    | <secret> |
      Then the call is refused as "invalid"
      When the operation "recall" is called with:
        | query | ferry runs <secret> |
      And the operation "storage" is called with:
        | texts | ["The ferry runs daily", "<secret>", "<part>", "<small>"] |
      Then the "answer" says:
        | found | ["The ferry runs daily"] |

      Examples:
        | secret                       | part   | small  |
        | ghp_{9 times "a1B2"}         | a1B2   | a1b2   |
        | AKIA{2 times "Q7W8E9R0"}     | Q7W8   | q7w8   |
        | password: {2 times "Hunter"} | Hunter | hunter |
        | sk-{8 times "Ab3"}           | Ab3    | ab3    |

  @req:claim-audit/a-tombstone-stays @must
  Rule: A tombstone stays

    @needs:authority
    Scenario: A forgotten claim is nowhere to be read
      Given an empty store
      And these memories are written:
        | key   | content            | scope  | type       |
        | short | Answers stay brief | global | preference |
      And "violin sonata" is recalled
      When "short" is forgotten
      Then "short" is seen on no surface with:
        | query | violin sonata |
      And "short" is seen on no surface with:
        | query | answers stay brief |

    @needs:authority
    Scenario: The evidence of a forgotten claim stays
      Given an empty store
      And these memories are written:
        | key   | content              | tags    |
        | ferry | The ferry runs daily | harbour |
      And "ferry" is recalled
      And the operation "feedback" is called with:
        | id      | ferry   |
        | outcome | harmful |
      When "ferry" is forgotten
      And the operation "explain" is called with:
        | id | ferry |
      Then the call is answered
      And the "answer" says:
        | state                  | tombstoned         |
        | belief.beta            | 6                  |
        | belief.harmfulCount    | 1                  |
        | evidence[0].outcome    | harmful            |
        | consumption[0].outcome | harmful            |
        | decisions.length       | 1                  |
        | terms                  | []                 |
        | learnedTerms           | []                 |
        | *                      | without runs daily |
        | *                      | without harbour    |
      And the "record ferry" says:
        | state   | forgotten |
        | content | null      |

    @needs:authority
    Scenario: A forgotten claim is forgotten once
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And "ferry" is forgotten
      When "ferry" is forgotten
      Then the "answer" says:
        | done | false |

    @needs:authority @needs:context
    Scenario: A tombstone learns nothing
      Given an empty store
      And these memories are written:
        | key    | content                 |
        | kettle | Guests get the blue pot |
      And the operation "context" is called with:
        | query | blue pot visitors |
      And "kettle" is forgotten
      When the operation "feedback" is called with:
        | id      | kettle |
        | outcome | helped |
      Then the call is refused as "conflict"
      When "blue pot visitors" is recalled
      Then nothing is found

    @needs:authority
    Scenario: The same words may be said anew
      Given an empty store
      And these memories are written:
        | key | content              |
        | old | The ferry runs daily |
      And the operation "feedback" is called with:
        | id      | old     |
        | outcome | harmful |
      And "old" is forgotten
      When these memories are written:
        | key | content              |
        | new | The ferry runs daily |
      And "ferry runs daily" is recalled
      Then these are found:
        | new |
      When the operation "explain" is called with:
        | id | new |
      Then the "answer" says:
        | belief.beta | 1  |
        | evidence    | [] |

    @needs:authority
    Scenario: The id of a forgotten claim stays taken
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      And "ferry" is forgotten
      When the operation "write" is called with:
        | record | {"content": "The crane is being oiled", "key": "ferry"} |
      Then the call is refused as "conflict"

  @req:claim-audit/secrets-are-refused-before-anything-is-stored @must
  Rule: Secrets are refused before anything is stored

    @needs:authority
    Scenario Outline: A claim with a secret is refused
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "Note for later: <secret>"} |
      Then the call is refused as "invalid"

      Examples:
        | secret                                          |
        | sk-{8 times "Ab3"}                              |
        | AIza{11 times "Sy0"}                            |
        | xoxb-{4 times "9a8b7"}                          |
        | api_key = {3 times "q1w2"}                      |
        | API key: {3 times "q1w2"}                       |
        | ghp_{9 times "a1B2"}                            |
        | gho_{9 times "a1B2"}                            |
        | github_pat_{9 times "a1B2_"}                    |
        | AKIA{2 times "Q7W8E9R0"}                        |
        | ASIA{2 times "Q7W8E9R0"}                        |
        | aws_secret_access_key = {5 times "wJal/rXU"}    |
        | aws_key = {5 times "wJal/rXU"}                  |
        | Authorization: Bearer {3 times "abc.def-"}      |
        | password: {2 times "hunter"}                    |
        | PASSWORD={2 times "hunter"}                     |
        | 密码：{2 times "hunter"}                        |
        | -----BEGIN {1 times "PRIVATE"} KEY-----         |
        | -----BEGIN RSA {1 times "PRIVATE"} KEY-----     |
        | -----BEGIN OPENSSH {1 times "PRIVATE"} KEY----- |
        | ｇｈｐ＿{9 times "a1B2"}                        |

    @needs:authority
    Scenario Outline: The same claim without the secret is stored
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "Note for later: <spoken>"} |
      Then the call is answered
      When "note later" is recalled
      Then the "answer" says:
        | hits[0].content | Note for later: <spoken> |

      Examples:
        | spoken                            |
        | the API key is in the vault       |
        | ghp_ begins such a token          |
        | an AKIA id is no secret by itself |
        | bearer tokens expire at noon      |
        | the password is in the vault      |
        | 密码在保险箱里                    |
        | a PUBLIC KEY may be shown         |

    @needs:authority @needs:batch
    Scenario Outline: A refusal names the kind and not the secret
      Given an empty store
      When these memories are written in one batch:
        | key    | content                  |
        | secret | Note for later: <secret> |
        | plain  | The ferry runs daily     |
      Then the "outcome secret" says:
        | outcome | refused           |
        | id      | null              |
        | cause   | containing <kind> |
        | cause   | without <value>   |
      And the "outcome plain" says:
        | outcome | created |

      Examples:
        | secret                       | kind     | value  |
        | password: {2 times "hunter"} | password | hunter |
        | ghp_{9 times "a1B2"}         | GitHub   | a1B2   |
        | AKIA{2 times "Q7W8E9R0"}     | AWS      | Q7W8   |
        | sk-{8 times "Ab3"}           | API key  | Ab3    |

    @needs:authority
    Scenario Outline: No part of a claim may hold a secret
      Given an empty store
      When the operation "write" is called with:
        | record | {"content": "The ferry runs daily", <part>} |
      Then the call is refused as "invalid"
      When the operation "write" is called with:
        | record | {"content": "The ferry runs daily", <twin>} |
      Then the "answer" says:
        | outcome | created |

      Examples:
        | part                                                                   | twin                                             |
        | "tags": ["ghp_{9 times "a1B2"}"]                                       | "tags": ["token"]                                |
        | "sources": [{"kind": "web", "locator": "x?password={2 times "hunt"}"}] | "sources": [{"kind": "web", "locator": "x?a=b"}] |
        | "sources": [{"kind": "web", "excerpt": "sk-{8 times "Ab3"}"}]          | "sources": [{"kind": "web", "excerpt": "sk-1"}]  |
        | "key": "sk-{8 times "Ab3"}"                                            | "key": "sk-1"                                    |

    @needs:authority @needs:correct
    Scenario: A correction with a secret is refused
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "correct" is called with:
        | id      | ferry                              |
        | content | Ferry password: {2 times "hunter"} |
      Then the call is refused as "invalid"
      And the "record ferry" says:
        | state | active |
      When the operation "correct" is called with:
        | id      | ferry                      |
        | content | The ferry password changed |
      Then the "answer" says:
        | outcome | superseded |

    @needs:authority
    Scenario: A note with a secret is refused
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When the operation "feedback" is called with:
        | id      | ferry                        |
        | outcome | helped                       |
        | note    | password: {2 times "hunter"} |
      Then the call is refused as "invalid"
      When the operation "feedback" is called with:
        | id      | ferry        |
        | outcome | helped       |
        | note    | thanks a lot |
      Then the "answer" says:
        | belief.alpha | 7 |

    @needs:authority
    Scenario Outline: A question with a secret leaves nothing of it
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled
      And the operation "recall" is called with:
        | query | ferry runs daily <secret> |
      Then these are found:
        | ferry |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | runs.length   | 2                          |
        | runs[0].terms | ["ferry", "runs", "daily"] |
        | *             | without <lower>            |

      Examples:
        | secret                       | lower  |
        | ghp_{9 times "a1B2"}         | a1b2   |
        | password: {2 times "hunter"} | hunter |
        | AKIA{2 times "Q7W8E9R0"}     | q7w8   |

    @needs:authority
    Scenario: A session that is a secret is not kept
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry" is recalled with:
        | session | plain |
      And "ferry" is recalled with:
        | session | ghp_{9 times "a1B2"} |
      Then these are found:
        | ferry |
      When the operation "explain" is called with:
        | id | ferry |
      Then the "answer" says:
        | runs[0].session | null         |
        | runs[1].session | plain        |
        | *               | without a1B2 |
