Feature: Different facts stay apart

  One list of pairs serves all three ways to write: number, date, amount, model, address, quotation,
  who does what to whom, negation; in English and in Chinese.

  @req:memory-core/different-facts-stay-apart @must
  Rule: Different facts stay apart

    Scenario Outline: Two similar facts are both kept
      Given an empty store
      And these memories are written:
        | key    | content  |
        | first  | <first>  |
        | second | <second> |
      When "<query>" is recalled
      Then these are found:
        | first  |
        | second |
      And the "record first" says:
        | content | <first> |
        | state   | active  |
      And the "record second" says:
        | content | <second> |
        | state   | active   |

      Examples:
        | differs   | first                                     | second                                    | query                   |
        | number    | Henrik has 5 days of leave left           | Henrik has 15 days of leave left          | Henrik leave days       |
        | date      | The gate inspection is on 2026-03-14      | The gate inspection is on 2026-04-14      | gate inspection         |
        | amount    | The roof repair costs 1,200 euros         | The roof repair costs 12,000 euros        | roof repair             |
        | model     | Nadia drives the Tarno X200 van           | Nadia drives the Tarno X210 van           | Nadia Tarno van         |
        | address   | Docs live at https://example.org/v1/guide | Docs live at https://example.org/v2/guide | docs guide              |
        | quotation | The sign says "closed on Monday"          | The sign says "open on Monday"            | sign Monday             |
        | order     | Anselm manages Beatrix                    | Beatrix manages Anselm                    | Anselm Beatrix          |
        | negation  | Ramona is allergic to peanuts             | Ramona is not allergic to peanuts         | Ramona allergic peanuts |
        | number    | 亨利还剩5天年假                           | 亨利还剩15天年假                          | 亨利年假                |
        | date      | 闸门检查定在三月十四日                    | 闸门检查定在四月十四日                    | 闸门检查                |
        | amount    | 屋顶修理花费1200欧元                      | 屋顶修理花费12000欧元                     | 屋顶修理                |
        | model     | 娜迪亚开塔诺X200货车                      | 娜迪亚开塔诺X210货车                      | 娜迪亚货车              |
        | address   | 手册放在 https://example.org/v1/shouce    | 手册放在 https://example.org/v2/shouce    | 手册                    |
        | quotation | 牌子写着“周一休息”                        | 牌子写着“周一营业”                        | 牌子周一                |
        | order     | 安瑟管理贝雅                              | 贝雅管理安瑟                              | 安瑟贝雅                |
        | negation  | 拉莫娜对花生过敏                          | 拉莫娜对花生不过敏                        | 拉莫娜花生              |
        | digit     | Locker 7 belongs to Tarek                 | Locker 8 belongs to Tarek                 | locker Tarek            |
        | digit     | 七号楼的储物柜7归塔雷克                   | 七号楼的储物柜8归塔雷克                   | 储物柜塔雷克            |

    Scenario Outline: A similar fact written after a question is kept
      Given an empty store
      And these memories are written:
        | key   | content |
        | first | <first> |
      And "<query>" is recalled
      When these memories are written:
        | key    | content  |
        | second | <second> |
      And "<query>" is recalled
      Then these are found:
        | first  |
        | second |
      And the "record first" says:
        | content | <first> |
        | state   | active  |
      And the "record second" says:
        | content | <second> |
        | state   | active   |

      Examples:
        | differs   | first                                     | second                                    | query                   |
        | number    | Henrik has 5 days of leave left           | Henrik has 15 days of leave left          | Henrik leave days       |
        | date      | The gate inspection is on 2026-03-14      | The gate inspection is on 2026-04-14      | gate inspection         |
        | amount    | The roof repair costs 1,200 euros         | The roof repair costs 12,000 euros        | roof repair             |
        | model     | Nadia drives the Tarno X200 van           | Nadia drives the Tarno X210 van           | Nadia Tarno van         |
        | address   | Docs live at https://example.org/v1/guide | Docs live at https://example.org/v2/guide | docs guide              |
        | quotation | The sign says "closed on Monday"          | The sign says "open on Monday"            | sign Monday             |
        | order     | Anselm manages Beatrix                    | Beatrix manages Anselm                    | Anselm Beatrix          |
        | negation  | Ramona is allergic to peanuts             | Ramona is not allergic to peanuts         | Ramona allergic peanuts |
        | number    | 亨利还剩5天年假                           | 亨利还剩15天年假                          | 亨利年假                |
        | date      | 闸门检查定在三月十四日                    | 闸门检查定在四月十四日                    | 闸门检查                |
        | amount    | 屋顶修理花费1200欧元                      | 屋顶修理花费12000欧元                     | 屋顶修理                |
        | model     | 娜迪亚开塔诺X200货车                      | 娜迪亚开塔诺X210货车                      | 娜迪亚货车              |
        | address   | 手册放在 https://example.org/v1/shouce    | 手册放在 https://example.org/v2/shouce    | 手册                    |
        | quotation | 牌子写着“周一休息”                        | 牌子写着“周一营业”                        | 牌子周一                |
        | order     | 安瑟管理贝雅                              | 贝雅管理安瑟                              | 安瑟贝雅                |
        | negation  | 拉莫娜对花生过敏                          | 拉莫娜对花生不过敏                        | 拉莫娜花生              |
        | digit     | Locker 7 belongs to Tarek                 | Locker 8 belongs to Tarek                 | locker Tarek            |
        | digit     | 七号楼的储物柜7归塔雷克                   | 七号楼的储物柜8归塔雷克                   | 储物柜塔雷克            |

    @needs:batch
    Scenario Outline: Two similar facts of a batch are both kept
      Given an empty store
      And these memories are written in one batch:
        | key    | content  |
        | first  | <first>  |
        | second | <second> |
      When "<query>" is recalled
      Then these are found:
        | first  |
        | second |
      And the "record first" says:
        | content | <first> |
        | state   | active  |
      And the "record second" says:
        | content | <second> |
        | state   | active   |

      Examples:
        | differs   | first                                     | second                                    | query                   |
        | number    | Henrik has 5 days of leave left           | Henrik has 15 days of leave left          | Henrik leave days       |
        | date      | The gate inspection is on 2026-03-14      | The gate inspection is on 2026-04-14      | gate inspection         |
        | amount    | The roof repair costs 1,200 euros         | The roof repair costs 12,000 euros        | roof repair             |
        | model     | Nadia drives the Tarno X200 van           | Nadia drives the Tarno X210 van           | Nadia Tarno van         |
        | address   | Docs live at https://example.org/v1/guide | Docs live at https://example.org/v2/guide | docs guide              |
        | quotation | The sign says "closed on Monday"          | The sign says "open on Monday"            | sign Monday             |
        | order     | Anselm manages Beatrix                    | Beatrix manages Anselm                    | Anselm Beatrix          |
        | negation  | Ramona is allergic to peanuts             | Ramona is not allergic to peanuts         | Ramona allergic peanuts |
        | number    | 亨利还剩5天年假                           | 亨利还剩15天年假                          | 亨利年假                |
        | date      | 闸门检查定在三月十四日                    | 闸门检查定在四月十四日                    | 闸门检查                |
        | amount    | 屋顶修理花费1200欧元                      | 屋顶修理花费12000欧元                     | 屋顶修理                |
        | model     | 娜迪亚开塔诺X200货车                      | 娜迪亚开塔诺X210货车                      | 娜迪亚货车              |
        | address   | 手册放在 https://example.org/v1/shouce    | 手册放在 https://example.org/v2/shouce    | 手册                    |
        | quotation | 牌子写着“周一休息”                        | 牌子写着“周一营业”                        | 牌子周一                |
        | order     | 安瑟管理贝雅                              | 贝雅管理安瑟                              | 安瑟贝雅                |
        | negation  | 拉莫娜对花生过敏                          | 拉莫娜对花生不过敏                        | 拉莫娜花生              |
        | digit     | Locker 7 belongs to Tarek                 | Locker 8 belongs to Tarek                 | locker Tarek            |
        | digit     | 七号楼的储物柜7归塔雷克                   | 七号楼的储物柜8归塔雷克                   | 储物柜塔雷克            |

    Scenario: A text written twice is still found
      Given an empty store
      And these memories are written:
        | key    | content                         |
        | first  | Henrik has 5 days of leave left |
        | second | Henrik has 5 days of leave left |
      When "Henrik leave days" is recalled
      Then the "answer" says:
        | hits[0].content | Henrik has 5 days of leave left |
        | hits.length     | at most 2                       |
      And the "record second" says:
        | content | Henrik has 5 days of leave left |
        | state   | active                          |

    Scenario: A text written twice around a question is still found
      Given an empty store
      And these memories are written:
        | key   | content                         |
        | first | Henrik has 5 days of leave left |
      And "Henrik leave days" is recalled
      When these memories are written:
        | key    | content                         |
        | second | Henrik has 5 days of leave left |
      And "Henrik leave days" is recalled
      Then the "answer" says:
        | hits[0].content | Henrik has 5 days of leave left |
        | hits.length     | at most 2                       |
      And the "record second" says:
        | content | Henrik has 5 days of leave left |
        | state   | active                          |

    Scenario: An exact repeat is treated as declared
      Given an empty store
      And these memories are written:
        | key   | content                         |
        | first | Henrik has 5 days of leave left |
      And "Henrik leave days" is recalled
      When these memories are written:
        | key    | content                         |
        | second | Henrik has 5 days of leave left |
      And "Henrik leave days" is recalled
      Then the "outcome second" says:
        | outcome | by duplicates: none created, exact merged, near merged, supersede superseded   |
        | other   | by duplicates: none null, exact key:first, near key:first, supersede key:first |
      And the "answer" says:
        | hits.length | by duplicates: exact 1, near 1 |
