Feature: The best match is first

  @req:memory-core/the-best-match-is-first @must
  Rule: The best match is first

    Scenario: The best memory is first before any other question
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | stairs   | Rain damaged the lighthouse stairs       |
        | visitors | Visitors climb the lighthouse on Sundays |
        | cellar   | A baker rents the lighthouse cellar      |
      When "lighthouse stairs rain" is recalled
      Then the "answer" says:
        | hits[0].id | key:stairs |

    Scenario: The best memory is first after twenty-eight unrelated questions
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | stairs   | Rain damaged the lighthouse stairs       |
        | visitors | Visitors climb the lighthouse on Sundays |
        | cellar   | A baker rents the lighthouse cellar      |
      And "lighthouse stairs rain" is recalled
      And "violin sonata rehearsal" is recalled
      And "quantum physics" is recalled
      And "vaccination" is recalled
      And "dentist" is recalled
      And "zqxjvkwp" is recalled
      And "Mongolian throat singing" is recalled
      And "compound interest" is recalled
      And "knitting pattern" is recalled
      And "volcano" is recalled
      And "jazz piano" is recalled
      And "mushroom soup" is recalled
      And "tax return" is recalled
      And "polar bear" is recalled
      And "chess opening" is recalled
      And "marathon training" is recalled
      And "stamp album" is recalled
      And "desert fox" is recalled
      And "bamboo furniture" is recalled
      And "小提琴" is recalled
      And "量子物理" is recalled
      And "疫苗" is recalled
      And "牙医" is recalled
      And "gluvitz mopquix" is recalled
      And "football" is recalled
      And "opera tickets" is recalled
      And "passport photo" is recalled
      And "hamster cage" is recalled
      And "yoga mat" is recalled
      When "lighthouse stairs rain" is recalled
      Then the "answer" says:
        | hits[0].id | key:stairs |

    Scenario: The best memory is first after many questions for its rival
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | stairs   | Rain damaged the lighthouse stairs       |
        | visitors | Visitors climb the lighthouse on Sundays |
        | cellar   | A baker rents the lighthouse cellar      |
      And "lighthouse stairs rain" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      And "lighthouse visitors climb" is recalled
      When "lighthouse stairs rain" is recalled
      Then the "answer" says:
        | hits[0].id | key:stairs |
