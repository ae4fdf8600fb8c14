Feature: Written is findable

  A question is asked alone, and looked for twice: in a store that has answered nothing yet, and in
  one that has.

  @req:memory-core/written-is-findable @must
  Rule: Written is findable

    Scenario: The exact words find a memory
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
        | ferry | Ferry timetables change in March   |
      When "The harbour crane needs new brakes" is recalled
      Then "crane" is found
      And "ferry" is not found

    Scenario: A few words find a memory
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | crane | The harbour crane needs new brakes   |
        | ferry | The ferry timetable changes in March |
      When "crane brakes" is recalled
      Then these are found:
        | crane |

    Scenario: A memory written after a question is found
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | ferry | The ferry timetable changes in March |
      And "ferry timetable" is recalled
      When these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      Then these are found:
        | crane |

    Scenario: Words that found nothing find the memory written since
      Given an empty store
      And these memories are written:
        | key   | content                              |
        | ferry | The ferry timetable changes in March |
      And "crane brakes" is recalled
      When these memories are written:
        | key   | content                            |
        | crane | The harbour crane needs new brakes |
      And "crane brakes" is recalled
      Then these are found:
        | crane |

    Scenario: The newer of two is found beside the older
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | older | The harbour crane needs new brakes |
      And "harbour crane" is recalled
      When these memories are written:
        | key   | content                                   |
        | newer | Marta painted the harbour crane on Friday |
      And "harbour crane" is recalled
      Then these are found:
        | older |
        | newer |

    Scenario: Capital and small letters find the same
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | crane | The harbour Crane needs new brakes |
      When "CRANE bRAKES" is recalled
      Then these are found:
        | crane |

    Scenario: The last words of a longer memory find it
      Given an empty store
      And these memories are written:
        | key  | content                                                                                                                                                                                                                                                            |
        | tour | On Saturday we met at noon, crossed the old bridge, bought bread and cheese at the market, walked along the canal for two hours, rested under a chestnut tree, missed the bus, and came home through the vineyards while thunder rolled over the distant mountains |
      When "thunder distant mountains" is recalled
      Then these are found:
        | tour |

    Scenario Outline: A found text is the text that was written
      Given an empty store
      And these memories are written:
        | key    | content |
        | anchor | <text>  |
      When "anchor chain" is recalled
      Then the "hit anchor" says:
        | content | <text> |

      Examples:
        | text                                         |
        | "Anchor chain:\\n  first line\\n\\n  second" |
        | "Anchor chain\\r\\nwith another line end"    |
        | "  Anchor   chain,\\tas long as needed  "    |
        | "Anchor chain at the Cafe\u0301 Zoe\u0308"   |
        | "Anchor chain \ud83d\udea2\u200d\u2693"      |
        | "Anchor chain \u001b[31mred\u001b[0m\u0007"  |
        | "Anchor chain ＡＢＣ １２３ ﬁn"              |
        | "Anchor chain \\\\ \" ' ` % _ {} ${HOME}"    |

    @needs:batch
    Scenario Outline: Every memory of a batch is found
      Given an empty store
      And these memories are written in one batch:
        | key   | content                              |
        | crane | The harbour crane needs new brakes   |
        | ferry | The ferry timetable changes in March |
        | bees  | Two beehives stand behind the school |
      When "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query           | key   |
        | crane brakes    | crane |
        | ferry timetable | ferry |
        | beehives school | bees  |

    @needs:batch
    Scenario Outline: Every memory of a batch written after a question is found
      Given an empty store
      And these memories are written:
        | key  | content                     |
        | bake | Olga runs the corner bakery |
      And "corner bakery" is recalled
      When these memories are written in one batch:
        | key   | content                              |
        | crane | The harbour crane needs new brakes   |
        | ferry | The ferry timetable changes in March |
        | bees  | Two beehives stand behind the school |
      And "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query           | key   |
        | crane brakes    | crane |
        | ferry timetable | ferry |
        | beehives school | bees  |

    @needs:update
    Scenario: The new words of an update find the memory
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | crane | The crane driver is Marta |
      When the operation "update" is called with:
        | id      | crane                      |
        | content | The crane driver is Henrik |
      And "Henrik" is recalled
      Then the "hit crane" says:
        | content | The crane driver is Henrik |

    @needs:update
    Scenario: The new words of an update find the memory after a question
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | crane | The crane driver is Marta |
      And "crane driver" is recalled
      When the operation "update" is called with:
        | id      | crane                      |
        | content | The crane driver is Henrik |
      And "Henrik" is recalled
      Then the "hit crane" says:
        | content | The crane driver is Henrik |

    @needs:update
    Scenario: The old words of an update find nothing
      Given an empty store
      And these memories are written:
        | key   | content                   |
        | crane | The crane driver is Marta |
      And "Marta" is recalled
      When the operation "update" is called with:
        | id      | crane                      |
        | content | The crane driver is Henrik |
      And "Marta" is recalled
      Then nothing is found
