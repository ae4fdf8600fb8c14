Feature: Foundation ranking
  How a candidate is compared with the question and with the others.

  @req:retrieval-foundation/tokens-are-words-their-slices-and-cjk-pairs @must
  Rule: Tokens are words, their slices and CJK pairs

    @needs:trace
    Scenario: Full-width text is the same text
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ＦＥＲＲＹ　ＲＵＮＳ" is recalled with:
        | trace | true |
      Then these are found:
        | ferry |
      And the "trace" says:
        | rankings[ferry].features.lexical | 1 |

    Scenario: A source's file name is found
      Given an empty store
      And these memories are written:
        | key  | content        | sources                                            |
        | rule | Soup on Fridays | [{"kind":"file","locator":"handbook/canteen.md"}] |
      When "handbook canteen" is recalled
      Then these are found:
        | rule |

    @needs:trace
    Scenario: A query stops at 128 tokens
      Given an empty store
      And these memories are written:
        | key | content  |
        | one | 100 soup |
      When "100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229" is recalled with:
        | trace | true |
      Then the "trace" says:
        | queryTokenCount      | 128  |
        | queryTokensTruncated | true |

  @req:retrieval-foundation/six-features-make-one-score @must
  Rule: Six features make one score

    # By hand: .55 x 1 + .10 x .9 + .10 x 0 + .10 x 1 + .075 x .5 + .075 x 1 = .8525, and
    # with half the freshness .8025. 2026-01-01 is 180 days before 2026-06-30.
    @needs:trace @needs:clock
    Scenario: A fresh workspace fact has the score of the page
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key   | content               | observed at          |
        | fresh | The ferry runs daily  | 2026-06-30T00:00:00Z |
        | older | The ferry runs daily. | 2026-01-01T00:00:00Z |
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then these are found in order:
        | fresh |
        | older |
      And the "trace" says:
        | rankings[fresh].features.lexical       | 1      |
        | rankings[fresh].features.scopeAffinity | 0.9    |
        | rankings[fresh].features.typeAffinity  | 0      |
        | rankings[fresh].features.freshness     | 1      |
        | rankings[fresh].features.importance    | 0.5    |
        | rankings[fresh].features.confidence    | 1      |
        | rankings[fresh].finalScore             | 0.8525 |
        | rankings[older].features.freshness     | 0.5    |
        | rankings[older].finalScore             | 0.8025 |

    @needs:trace
    Scenario: The weights are recorded
      Given an empty store
      And these memories are written:
        | key   | content              |
        | ferry | The ferry runs daily |
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankingWeights.lexical       | 0.55  |
        | rankingWeights.scopeAffinity | 0.1   |
        | rankingWeights.typeAffinity  | 0.1   |
        | rankingWeights.freshness     | 0.1   |
        | rankingWeights.importance    | 0.075 |
        | rankingWeights.confidence    | 0.075 |

    @needs:clock @needs:confidence
    Scenario: Age never lowers confidence
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content              | confidence | observed at          |
        | old | The ferry runs daily | 0.9        | 2016-06-30T00:00:00Z |
      When "ferry runs daily" is recalled
      Then the "hit old" says:
        | confidence | 0.9 |

  @req:retrieval-foundation/the-order-is-total @must @needs:clock
  Rule: The order is total

    Scenario: The later update comes first
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key     | content               | observed at          | updated at           |
        | a-early | The ferry runs daily  | 2026-06-01T00:00:00Z | 2026-06-10T00:00:00Z |
        | b-late  | The ferry runs daily. | 2026-06-01T00:00:00Z | 2026-06-20T00:00:00Z |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | b-late  |
        | a-early |

    Scenario: Equal memories come by id
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key | content               |
        | c   | The ferry runs daily! |
        | a   | The ferry runs daily  |
        | b   | The ferry runs daily. |
      When "ferry runs daily" is recalled
      Then these are found in order:
        | a |
        | b |
        | c |

  @req:retrieval-foundation/the-record-limit-holds @must
  Rule: The record limit holds

    @needs:trace
    Scenario: Eight is the default
      Given an empty store
      And 10 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled with:
        | trace | true |
      Then the "trace" says:
        | recordLimit        | 8  |
        | candidateCount     | 10 |
        | selectedIds.length | 8  |

    @needs:durable
    Scenario: A lower maximum acts at once
      Given an empty store
      And 10 memories are written like "Ferry (n) runs daily"
      When the store is restarted with:
        | max injected records | 3 |
      And "ferry runs daily" is recalled
      Then the "answer" says:
        | hits.length | 3 |

    Scenario: A caller may ask for fewer
      Given an empty store
      And 10 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled with:
        | limit | 2 |
      Then the "answer" says:
        | hits.length | 2 |

    Scenario: A disabled policy selects nothing
      Given an empty store with:
        | enabled | false |
      And 3 memories are written like "Ferry (n) runs daily"
      When "ferry runs daily" is recalled
      Then nothing is found
