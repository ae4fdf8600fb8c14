Feature: Any text is a query

  In each row a memory holds the literal text among plain words, and exactly that text is asked:
  words around it would hide that the text itself finds nothing.

  @req:memory-core/any-text-is-a-query @must
  Rule: Any text is a query

    Scenario Outline: Its literal text finds a memory
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
        | exact | Somebody noted <text> underneath   |
      When "<text>" is recalled
      Then "exact" is found
      And "plain" is not found

      Examples:
        | text                               |
        | multi-agent                        |
        | well-known-fact                    |
        | -harbour                           |
        | --verbose                          |
        | POL-358                            |
        | don't overwater                    |
        | O'Brien                            |
        | Zürich's café                      |
        | 20.04                              |
        | v3.11.7                            |
        | 18:30                              |
        | 2026-03-14                         |
        | 50%                                |
        | $1,250                             |
        | +49 30 555                         |
        | @nasa                              |
        | #release                           |
        | marta@example.org                  |
        | https://example.org/gate?plan=east |
        | src/gate/plan.py                   |
        | C:\Temp\plan                       |
        | and/or/harbour                     |
        | gate_plan_east                     |
        | "harbour crane"                    |
        | "harbour                           |
        | harbour"                           |
        | 'harbour'                          |
        | `harbour`                          |
        | „harbour“                          |
        | harbour AND crane                  |
        | harbour OR crane                   |
        | harbour NOT crane                  |
        | NOT harbour                        |
        | harbour NEAR crane                 |
        | NEAR(harbour crane, 3)             |
        | harbour AND                        |
        | OR harbour                         |
        | harbour*                           |
        | *harbour                           |
        | ^harbour                           |
        | harbour~2                          |
        | (harbour                           |
        | harbour)                           |
        | (harbour OR crane) AND (gate)      |
        | content:harbour                    |
        | nocolumn:harbour                   |
        | {content key}:harbour              |
        | [harbour]                          |
        | {harbour}                          |
        | <harbour>                          |
        | harbour\|crane                     |
        | harbour\                           |
        | harbour%crane                      |
        | harbour; crane                     |
        | harbour -- crane                   |
        | /* harbour */                      |
        | harbour?                           |
        | ¿harbour?                          |
        | harbour…                           |
        | harbour → crane                    |
        | 🚢 harbour                         |

    Scenario Outline: Its literal text finds a memory written after a question
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      And "willow baskets" is recalled
      When these memories are written:
        | key   | content                          |
        | exact | Somebody noted <text> underneath |
      And "<text>" is recalled
      Then "exact" is found
      And "plain" is not found

      Examples:
        | text                   |
        | multi-agent            |
        | POL-358                |
        | don't overwater        |
        | 20.04                  |
        | @nasa                  |
        | 50%                    |
        | src/gate/plan.py       |
        | "harbour crane"        |
        | harbour NOT crane      |
        | NEAR(harbour crane, 3) |
        | harbour*               |
        | ^harbour               |
        | (harbour               |
        | content:harbour        |

    Scenario Outline: A text without any word finds nothing
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      When "<text>" is recalled
      Then nothing is found

      Examples:
        | text   |
        | *      |
        | **     |
        | ^      |
        | ""     |
        | "      |
        | '      |
        | ---    |
        | ...    |
        | ?!     |
        | ()     |
        | (      |
        | {}     |
        | []     |
        | :      |
        | ;      |
        | %      |
        | $      |
        | #      |
        | @      |
        | \      |
        | \|     |
        | ~      |
        | + -    |
        | → …    |
        | 。，？ |
        | 🚢     |

    Scenario Outline: An empty or blank text finds nothing
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      When the operation "recall" is called with:
        | query | <text> |
      Then nothing is found

      Examples:
        | text            |
        | ""              |
        | " "             |
        | "\\t \\n\\r\\n" |
        | "\u00a0\u3000"  |
        | "\u200b\ufeff"  |
        | "\u0000"        |

    @slow
    Scenario: A megabyte of text is answered
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      When the operation "recall" is called with:
        | query | {200000 times "willow "} |
      Then these are found:
        | plain |
      When the operation "recall" is called with:
        | query | {1048576 times "x"} |
      Then nothing is found

    Scenario Outline: Operators and single letters alone find nothing unrelated
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      When "<text>" is recalled
      Then nothing is found

      Examples:
        | text            |
        | a/b             |
        | x               |
        | C#              |
        | don't           |
        | I'm             |
        | AND             |
        | NOT             |
        | OR OR           |
        | AND OR NOT NEAR |
        | NOT the         |

    Scenario Outline: Control characters between words are no obstacle
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      When the operation "recall" is called with:
        | query | <text> |
      Then these are found:
        | plain |

      Examples:
        | text                        |
        | "willow\\nbaskets"          |
        | "willow\\t\\tbaskets\\r\\n" |
        | "willow\u0000baskets"       |
        | "willow\u0007baskets"       |
        | "\u001bwillow baskets"      |
        | "willow\u2028baskets"       |

    Scenario: A lone surrogate is refused
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      When the operation "recall" is called with:
        | query | "willow baskets \ud83d" |
      Then the call is refused as "invalid"
      When the operation "recall" is called with:
        | query | "willow baskets \ud83d\udea2" |
      Then these are found:
        | plain |

    Scenario Outline: A question changes nothing in the store
      Given an empty store
      And these memories are written:
        | key   | content                            |
        | plain | Willow baskets dry slowly outdoors |
      And "<text>" is recalled
      When "willow baskets" is recalled
      Then these are found:
        | plain |
      And the "record plain" says:
        | state   | active                             |
        | content | Willow baskets dry slowly outdoors |

      Examples:
        | text                                 |
        | '; DROP TABLE memories; --           |
        | ' OR '1'='1                          |
        | "; DELETE FROM records WHERE 1=1; -- |
        | $(rm -rf .)                          |
        | `rm -rf .`                           |
        | {{ 7 * 7 }}                          |
        | ../../../etc/passwd                  |
        | %s %d %n                             |
