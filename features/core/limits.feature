Feature: Limits hold

  Memories are short and few, so that a store which is bounded to eight a question can take part.

  @req:memory-core/limits-hold @must
  Rule: Limits hold

    Scenario Outline: A limit of zero or less finds nothing
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      When "lighthouse" is recalled with:
        | limit | <limit> |
      Then nothing is found

      Examples:
        | limit |
        | 0     |
        | -1    |
        | -8    |

    Scenario Outline: A limit below the number of memories is filled
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      When "lighthouse" is recalled with:
        | limit | <limit> |
      Then the "answer" says:
        | hits.length | <limit> |

      Examples:
        | limit |
        | 1     |
        | 2     |
        | 3     |
        | 4     |

    Scenario: A limit of the number of memories finds all
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      When "lighthouse" is recalled with:
        | limit | 5 |
      Then these are found:
        | keeper   |
        | visitors |
        | stairs   |
        | cellar   |
        | paint    |

    Scenario Outline: A limit above the number of memories finds all
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      And these memories are written:
        | key   | content                              |
        | ferry | The ferry timetable changes in March |
      When "lighthouse" is recalled with:
        | limit | <limit> |
      Then these are found:
        | keeper   |
        | visitors |
        | stairs   |
        | cellar   |
        | paint    |

      Examples:
        | limit   |
        | 6       |
        | 100     |
        | 1000000 |

    Scenario Outline: A limit of one keeps the best
      Given an empty store
      And these memories are written:
        | key    | content  |
        | first  | <first>  |
        | second | <second> |
        | third  | <third>  |
      When "lighthouse stairs rain" is recalled with:
        | limit | 1 |
      Then these are found:
        | <best> |

      Examples:
        | first                                | second                               | third                               | best   |
        | Rain damaged the lighthouse stairs   | The lighthouse keeper is called Ines | A baker rents the lighthouse cellar | first  |
        | The lighthouse keeper is called Ines | Rain damaged the lighthouse stairs   | A baker rents the lighthouse cellar | second |
        | The lighthouse keeper is called Ines | A baker rents the lighthouse cellar  | Rain damaged the lighthouse stairs  | third  |

    Scenario: A limit holds in a warm store
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      And "lighthouse" is recalled
      When "lighthouse" is recalled with:
        | limit | 2 |
      Then the "answer" says:
        | hits.length | 2 |

    Scenario: A limit does not outlive its question
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      And "lighthouse" is recalled with:
        | limit | 1 |
      When "lighthouse" is recalled with:
        | limit | 5 |
      Then these are found:
        | keeper   |
        | visitors |
        | stairs   |
        | cellar   |
        | paint    |

    @needs:budget
    Scenario Outline: A budget is never exceeded
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      When "lighthouse" is recalled with:
        | budget | <budget> |
      Then the "answer" says:
        | ledger.budget | <budget>         |
        | ledger.used   | at most <budget> |

      Examples:
        | budget |
        | 1      |
        | 5      |
        | 12     |
        | 40     |
        | 80     |
        | 120    |
        | 200    |
        | 400    |
        | 700    |
        | 1000   |

    @needs:budget
    Scenario: An ample budget leaves nothing out
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      When "lighthouse" is recalled with:
        | budget | 6000 |
      Then these are found:
        | keeper   |
        | visitors |
        | stairs   |
        | cellar   |
        | paint    |
      And the "answer" says:
        | ledger.budget       | 6000       |
        | ledger.used         | at least 1 |
        | ledger.droppedCount | 0          |
        | ledger.truncated    | false      |

    @needs:budget
    Scenario: A limit holds beside a budget
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
      When "lighthouse" is recalled with:
        | budget | 6000 |
        | limit  | 2    |
      Then the "answer" says:
        | hits.length | 2 |

    @needs:budget
    Scenario: A budget of just what is used leaves nothing out
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      And "lighthouse" is recalled with:
        | budget | 6000 |
      And the answer is kept
      When "lighthouse" is recalled with:
        | budget | {kept:ledger.used} |
      Then these are found:
        | keeper   |
        | visitors |
        | stairs   |
        | cellar   |
        | paint    |
      And the "answer" says:
        | ledger.used         | {kept:ledger.used} |
        | ledger.droppedCount | 0                  |
        | ledger.truncated    | false              |

    @needs:budget
    Scenario: A budget one short leaves something out
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      And "lighthouse" is recalled with:
        | budget | 6000 |
      And the answer is kept
      When "lighthouse" is recalled with:
        | budget | {kept:ledger.used - 1} |
      Then the "answer" says:
        | ledger.used         | at most {kept:ledger.used - 1}    |
        | ledger.droppedCount | by overflow: leave-out at least 1 |
        | ledger.truncated    | by overflow: cut true             |

    @needs:budget @needs:context
    Scenario Outline: A context is no longer than its budget
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
      When the operation "context" is called with:
        | query  | lighthouse |
        | budget | <budget>   |
      Then the "answer" says:
        | text.length | by budgetUnit: codepoint at most <budget>, utf16 at most <budget> |
        | ids.length  | by budgetUnit: records at most <budget>                           |

      Examples:
        | budget |
        | 1      |
        | 40     |
        | 60     |
        | 80     |
        | 120    |
        | 200    |
        | 400    |
        | 700    |
        | 1000   |

    @needs:budget
    Scenario: The ledger comes with an empty answer too
      Given an empty store
      And these memories are written:
        | key      | content                                  |
        | keeper   | The lighthouse keeper is called Ines     |
        | visitors | Visitors climb the lighthouse on Sundays |
        | stairs   | Rain damaged the lighthouse stairs       |
        | cellar   | A baker rents the lighthouse cellar      |
        | paint    | Painting the lighthouse takes nine days  |
      When "violin sonata rehearsal" is recalled with:
        | budget | 6000 |
      Then nothing is found
      And the "answer" says:
        | ledger.budget       | 6000  |
        | ledger.used         | 0     |
        | ledger.droppedCount | 0     |
        | ledger.truncated    | false |
