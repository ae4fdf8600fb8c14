Feature: Foundation tokens
  What of a text is compared. A token is written here as a letter and what it stands for: w and a
  word, g and three characters out of a longer word, c and one or two CJK characters.

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

    # In the escapes: Korean in single jamo, and an e with a combining accent.
    @needs:trace
    Scenario Outline: Every form of a character is the same character
      Given an empty store
      And these memories are written:
        | key  | content  |
        | form | <stored> |
      When "<asked>" is recalled with:
        | trace | true |
      Then these are found:
        | form |
      And the "trace" says:
        | rankings[form].features.lexical | 1 |

      Examples:
        | stored                                | asked      |
        | ｶﾀｶﾅ                                  | カタカナ   |
        | カタカナ                              | ｶﾀｶﾅ       |
        | ｶﾞｲﾄﾞ                                 | ガイド     |
        | "\\u1109\\u1165\\u110b\\u116e\\u11af" | 서울       |
        | "Cafe\\u0301"                         | café       |
        | ﬁne print                             | fine print |
        | ㍿                                    | 株式会社   |
        | ①②                                    | 12         |

    # cats: wcats gcat gats. a_bc: wa_bc ga_b g_bc. x-ray: wx wray. it's: wit ws. 3.14: w3 w14.
    # naïve: wnaïve gnaï gaïv gïve. Straße: wstraße gstr gtra graß gaße. 茶水 间: c茶水 c间.
    # a茶b: wa wb c茶. 茶a茶: wa c茶. ﬁne is fine: wfine gfin gine. Ⅷ is viii: wviii gvii giii.
    # ｶﾞ is ガ: cガ. コーヒー: cコー cーヒ cヒー. 々 is outside the CJK ranges: w々 c佐 c木.
    # So are ㄅ, which makes one word of three letters, and 𠮷, which makes a word of one: w𠮷 c野 c家.
    # 㐀 to 㐂 and 龥 to 鿕 are at the ends of the first range: c㐀㐁 c㐁㐂, and c龥鿕.
    @needs:trace @level:exact
    Scenario Outline: A text has the tokens of the page
      Given an empty store
      And these memories are written:
        | key  | content         |
        | soup | Soup on Fridays |
      When "<query>" is recalled with:
        | trace | true |
      Then the "trace" says:
        | queryTokenCount      | <count> |
        | queryTokensTruncated | false   |

      Examples:
        | query          | count |
        | c              | 1     |
        | cat            | 1     |
        | cats           | 3     |
        | Cats CATS cats | 3     |
        | cat cats       | 4     |
        | a_b            | 1     |
        | a_bc           | 3     |
        | x-ray          | 2     |
        | it's           | 2     |
        | 3.14           | 2     |
        | 8443           | 3     |
        | naïve          | 4     |
        | Straße         | 5     |
        | 茶             | 1     |
        | 茶水           | 1     |
        | 茶水间         | 2     |
        | 茶水 间        | 2     |
        | 茶水，间       | 2     |
        | 茶茶茶         | 1     |
        | a茶b           | 3     |
        | 茶a茶          | 2     |
        | cats茶水       | 4     |
        | さくら         | 2     |
        | コーヒー       | 3     |
        | ｶﾞ             | 1     |
        | 서울역         | 2     |
        | 佐々木         | 3     |
        | 㐀㐁㐂         | 2     |
        | 龥鿕           | 1     |
        | ㄅㄆㄇ         | 1     |
        | 野𠮷家         | 3     |
        | ﬁne            | 3     |
        | Ⅷ              | 3     |
        | Ｃａｔｓ       | 3     |
        | …?!            | 0     |

    # Words of three letters have no slices, so that only the whole word can meet its like.
    Scenario: An accent makes another word
      Given an empty store
      And these memories are written:
        | key  | content           |
        | noon | Le thé est à midi |
      When "the" is recalled
      Then nothing is found
      When "thé" is recalled
      Then these are found:
        | noon |

    @needs:trace
    Scenario Outline: A word of any alphabet is found
      Given an empty store
      And these memories are written:
        | key  | content                  |
        | port | Το λιμάνι ανοίγει νωρίς  |
        | ship | Корабль уходит в полдень |
        | door | Die Tür ist grün         |
      When "<query>" is recalled with:
        | trace | true |
      Then these are found:
        | <key> |
      And the "trace" says:
        | rankings[<key>].features.lexical | 1 |

      Examples:
        | query   | key  |
        | λιμάνι  | port |
        | Корабль | ship |
        | Tür     | door |

    # The query has wretry gret getr gtry wcount gcou goun gunt; the record all but the two words: 6 / 8.
    @needs:trace @level:exact
    Scenario: An underscore belongs to a word
      Given an empty store
      And these memories are written:
        | key   | content                 |
        | retry | Set retry_count to nine |
      When "retry count" is recalled with:
        | trace | true |
      Then these are found:
        | retry |
      And the "trace" says:
        | rankings[retry].features.lexical | 0.75 |

    # ats is wats and te is wte, which chats and tea are not cut into. cats is wcats gcat gats, of which
    # chats has gats: 1 / 3. hats is whats ghat gats: 2 / 3.
    Scenario: A short word is found whole or not at all
      Given an empty store
      And these memories are written:
        | key   | content      |
        | chats | Chats at tea |
      When "ats" is recalled
      Then nothing is found
      When "te" is recalled
      Then nothing is found
      When "cats" is recalled
      Then nothing is found
      When "hats" is recalled
      Then these are found:
        | chats |
      When "tea" is recalled
      Then these are found:
        | chats |

    @level:exact
    Scenario: A lone CJK character finds a lone one
      Given an empty store
      And these memories are written:
        | key   | content     |
        | alone | 茶 please   |
        | pair  | 茶水 please |
      When "茶" is recalled
      Then these are found:
        | alone |
      When "茶水" is recalled
      Then these are found:
        | pair |

    # The query has c茶水 c水间, the record c茶水 c间: 1 / 2.
    @needs:trace @level:exact
    Scenario: A mark between CJK characters parts them
      Given an empty store
      And these memories are written:
        | key  | content  |
        | room | 茶水，间 |
      When "茶水间" is recalled with:
        | trace | true |
      Then the "trace" says:
        | rankings[room].features.lexical | 0.5 |

    Scenario: A source's file name is found
      Given an empty store
      And these memories are written:
        | key  | content         | sources                                           |
        | rule | Soup on Fridays | [{"kind":"file","locator":"handbook/canteen.md"}] |
      When "handbook canteen" is recalled
      Then these are found:
        | rule |

    @needs:tags @needs:trace
    Scenario Outline: Every part of a record's text is found
      Given an empty store
      And these memories are written:
        | key  | content         | type    | tags          | sources                                                                |
        | rule | Soup on Fridays | episode | kitchen, 食堂 | [{"kind":"file","locator":"handbook/canteen.md"},{"kind":"inference"}] |
      When "<query>" is recalled with:
        | trace | true |
      Then these are found:
        | rule |
      And the "trace" says:
        | rankings[rule].features.lexical | 1 |

      Examples:
        | query        |
        | soup fridays |
        | kitchen      |
        | 食堂         |
        | episode      |
        | file         |
        | canteen      |
        | inference    |

    Scenario Outline: Nothing else of a record is found
      Given an empty store
      And these memories are written:
        | key    | content         | workspace | sources |
        | quagga | Soup on Fridays |           | [{"id":"zebra","kind":"web","excerpt":"lion","trust":"observed","threadId":"tiger","turnId":"panda","itemId":"koala","contentHash":"hyena"}] |
      When "<query>" is recalled
      Then nothing is found
      When "soup" is recalled
      Then these are found:
        | quagga |

      Examples:
        | query     |
        | quagga    |
        | zebra     |
        | lion      |
        | observed  |
        | tiger     |
        | panda     |
        | koala     |
        | hyena     |
        | workspace |
        | reference |
        | active    |
        | 1         |

    # The words are the numbers from 100 to 612, a token each; 611 is the 512th.
    @level:exact
    Scenario: A record stops at 512 tokens
      Given an empty store
      And these memories are written:
        | key  | content |
        | long | 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 259 260 261 262 263 264 265 266 267 268 269 270 271 272 273 274 275 276 277 278 279 280 281 282 283 284 285 286 287 288 289 290 291 292 293 294 295 296 297 298 299 300 301 302 303 304 305 306 307 308 309 310 311 312 313 314 315 316 317 318 319 320 321 322 323 324 325 326 327 328 329 330 331 332 333 334 335 336 337 338 339 340 341 342 343 344 345 346 347 348 349 350 351 352 353 354 355 356 357 358 359 360 361 362 363 364 365 366 367 368 369 370 371 372 373 374 375 376 377 378 379 380 381 382 383 384 385 386 387 388 389 390 391 392 393 394 395 396 397 398 399 400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 418 419 420 421 422 423 424 425 426 427 428 429 430 431 432 433 434 435 436 437 438 439 440 441 442 443 444 445 446 447 448 449 450 451 452 453 454 455 456 457 458 459 460 461 462 463 464 465 466 467 468 469 470 471 472 473 474 475 476 477 478 479 480 481 482 483 484 485 486 487 488 489 490 491 492 493 494 495 496 497 498 499 500 501 502 503 504 505 506 507 508 509 510 511 512 513 514 515 516 517 518 519 520 521 522 523 524 525 526 527 528 529 530 531 532 533 534 535 536 537 538 539 540 541 542 543 544 545 546 547 548 549 550 551 552 553 554 555 556 557 558 559 560 561 562 563 564 565 566 567 568 569 570 571 572 573 574 575 576 577 578 579 580 581 582 583 584 585 586 587 588 589 590 591 592 593 594 595 596 597 598 599 600 601 602 603 604 605 606 607 608 609 610 611 612 |
      When "612" is recalled
      Then nothing is found
      When "611" is recalled
      Then these are found:
        | long |

    # The words are numbers from 100, a token each; the type fact gives wfact gfac gact. 507 + 3 + 2
    # tokens are 512; with 508 words one pair is cut, with 509 both.
    @needs:trace @level:exact
    Scenario: Words come before CJK text in the limit
      Given an empty store
      And these memories are written:
        | key  | content |
        | both | 茶水间 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 259 260 261 262 263 264 265 266 267 268 269 270 271 272 273 274 275 276 277 278 279 280 281 282 283 284 285 286 287 288 289 290 291 292 293 294 295 296 297 298 299 300 301 302 303 304 305 306 307 308 309 310 311 312 313 314 315 316 317 318 319 320 321 322 323 324 325 326 327 328 329 330 331 332 333 334 335 336 337 338 339 340 341 342 343 344 345 346 347 348 349 350 351 352 353 354 355 356 357 358 359 360 361 362 363 364 365 366 367 368 369 370 371 372 373 374 375 376 377 378 379 380 381 382 383 384 385 386 387 388 389 390 391 392 393 394 395 396 397 398 399 400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 418 419 420 421 422 423 424 425 426 427 428 429 430 431 432 433 434 435 436 437 438 439 440 441 442 443 444 445 446 447 448 449 450 451 452 453 454 455 456 457 458 459 460 461 462 463 464 465 466 467 468 469 470 471 472 473 474 475 476 477 478 479 480 481 482 483 484 485 486 487 488 489 490 491 492 493 494 495 496 497 498 499 500 501 502 503 504 505 506 507 508 509 510 511 512 513 514 515 516 517 518 519 520 521 522 523 524 525 526 527 528 529 530 531 532 533 534 535 536 537 538 539 540 541 542 543 544 545 546 547 548 549 550 551 552 553 554 555 556 557 558 559 560 561 562 563 564 565 566 567 568 569 570 571 572 573 574 575 576 577 578 579 580 581 582 583 584 585 586 587 588 589 590 591 592 593 594 595 596 597 598 599 600 601 602 603 604 605 606 |
        | one  | 茶水间 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 259 260 261 262 263 264 265 266 267 268 269 270 271 272 273 274 275 276 277 278 279 280 281 282 283 284 285 286 287 288 289 290 291 292 293 294 295 296 297 298 299 300 301 302 303 304 305 306 307 308 309 310 311 312 313 314 315 316 317 318 319 320 321 322 323 324 325 326 327 328 329 330 331 332 333 334 335 336 337 338 339 340 341 342 343 344 345 346 347 348 349 350 351 352 353 354 355 356 357 358 359 360 361 362 363 364 365 366 367 368 369 370 371 372 373 374 375 376 377 378 379 380 381 382 383 384 385 386 387 388 389 390 391 392 393 394 395 396 397 398 399 400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 418 419 420 421 422 423 424 425 426 427 428 429 430 431 432 433 434 435 436 437 438 439 440 441 442 443 444 445 446 447 448 449 450 451 452 453 454 455 456 457 458 459 460 461 462 463 464 465 466 467 468 469 470 471 472 473 474 475 476 477 478 479 480 481 482 483 484 485 486 487 488 489 490 491 492 493 494 495 496 497 498 499 500 501 502 503 504 505 506 507 508 509 510 511 512 513 514 515 516 517 518 519 520 521 522 523 524 525 526 527 528 529 530 531 532 533 534 535 536 537 538 539 540 541 542 543 544 545 546 547 548 549 550 551 552 553 554 555 556 557 558 559 560 561 562 563 564 565 566 567 568 569 570 571 572 573 574 575 576 577 578 579 580 581 582 583 584 585 586 587 588 589 590 591 592 593 594 595 596 597 598 599 600 601 602 603 604 605 606 607 |
        | none | 茶水间 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 259 260 261 262 263 264 265 266 267 268 269 270 271 272 273 274 275 276 277 278 279 280 281 282 283 284 285 286 287 288 289 290 291 292 293 294 295 296 297 298 299 300 301 302 303 304 305 306 307 308 309 310 311 312 313 314 315 316 317 318 319 320 321 322 323 324 325 326 327 328 329 330 331 332 333 334 335 336 337 338 339 340 341 342 343 344 345 346 347 348 349 350 351 352 353 354 355 356 357 358 359 360 361 362 363 364 365 366 367 368 369 370 371 372 373 374 375 376 377 378 379 380 381 382 383 384 385 386 387 388 389 390 391 392 393 394 395 396 397 398 399 400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 418 419 420 421 422 423 424 425 426 427 428 429 430 431 432 433 434 435 436 437 438 439 440 441 442 443 444 445 446 447 448 449 450 451 452 453 454 455 456 457 458 459 460 461 462 463 464 465 466 467 468 469 470 471 472 473 474 475 476 477 478 479 480 481 482 483 484 485 486 487 488 489 490 491 492 493 494 495 496 497 498 499 500 501 502 503 504 505 506 507 508 509 510 511 512 513 514 515 516 517 518 519 520 521 522 523 524 525 526 527 528 529 530 531 532 533 534 535 536 537 538 539 540 541 542 543 544 545 546 547 548 549 550 551 552 553 554 555 556 557 558 559 560 561 562 563 564 565 566 567 568 569 570 571 572 573 574 575 576 577 578 579 580 581 582 583 584 585 586 587 588 589 590 591 592 593 594 595 596 597 598 599 600 601 602 603 604 605 606 607 608 |
      When "茶水间" is recalled with:
        | trace | true |
      Then these are found in order:
        | both |
        | one  |
      And the "trace" says:
        | candidateCount                  | 2   |
        | rankings[both].features.lexical | 1   |
        | rankings[one].features.lexical  | 0.5 |

    # The words are the numbers from 100 to 227, a token each. 1 / 128 is a candidate, but irrelevant.
    @needs:trace @level:exact
    Scenario: A query of 128 tokens is whole
      Given an empty store
      And these memories are written:
        | key  | content  |
        | last | 227 soup |
      When "100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227" is recalled with:
        | trace | true |
      Then the "trace" says:
        | queryTokenCount      | 128   |
        | queryTokensTruncated | false |
        | candidateCount       | 1     |

    @needs:trace @level:exact
    Scenario: A query of 129 tokens is cut
      Given an empty store
      And these memories are written:
        | key  | content  |
        | last | 227 soup |
        | over | 228 soup |
      When "100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228" is recalled with:
        | trace | true |
      Then the "trace" says:
        | queryTokenCount      | 128  |
        | queryTokensTruncated | true |
        | candidateCount       | 1    |

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

    @needs:trace
    Scenario Outline: A query without a token finds nothing
      Given an empty store
      And these memories are written:
        | key | content           |
        | tea | Tea without sugar |
      When "<query>" is recalled with:
        | trace | true |
      Then nothing is found
      And the "trace" says:
        | queryTokenCount | 0 |
        | candidateCount  | 0 |
      When "sugar" is recalled
      Then these are found:
        | tea |

      Examples:
        | query |
        |       |
        | "     |
        | ""    |
        | '     |
        | *     |
        | ^     |
        | :     |
        | -     |
        | ()    |
        | %     |
        | \\    |
        | -- ;  |
        | 🚢    |

    @needs:clock
    Scenario Outline: A mark in a query changes nothing
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key  | content                                |
        | both | The ferry timetable changes in March   |
        | one  | Ferries are green, timetables are gray |
        | none | The canteen serves soup at noon        |
      And "ferry timetable" is recalled
      And the answer is kept
      When "<query>" is recalled
      Then the answer equals the kept one
      And these are found in order:
        | both |
        | one  |

      Examples:
        | query               |
        | "ferry timetable"   |
        | "ferry" "timetable" |
        | ferry "timetable    |
        | ferry* timetable*   |
        | ^ferry timetable    |
        | (ferry timetable)   |
        | ferry) timetable    |
        | +ferry -timetable   |
        | {ferry timetable}   |
        | ferry:timetable     |
        | ferry ' timetable   |
        | ferry; timetable -- |
        | ferry % timetable ? |
        | ferry \\ timetable  |
        | ferry \| timetable  |

    # milk is wmilk gmil gilk, sugar wsugar gsug guga ggar, near wnear gnea gear; or, tea and 2 are one
    # token each. Covered by the three: near sugar 0, 3/7 and 4/7; milk OR tea 5/5, 4/5 and 1/5;
    # NEAR(tea milk, 2) 4/8, 7/8 and 1/8.
    Scenario Outline: An operator is a word like any other
      Given an empty store
      And these memories are written:
        | key  | content                  |
        | or   | Tea or milk              |
        | near | Milk NEAR tea            |
        | and  | Tea and bread, not sugar |
      When "<query>" is recalled
      Then these are found:
        | <first> |
        | <last>  |

      Examples:
        | query             | first | last |
        | near sugar        | near  | and  |
        | milk OR tea       | or    | near |
        | NEAR(tea milk, 2) | or    | near |

    # milk is wmilk gmil gilk, sugar wsugar gsug guga ggar, bread wbread gbre grea gead; the others are
    # one token each, but near wnear gnea gear. Covered: tea NOT sugar 1/6, 1/6 and 6/6; bread AND milk
    # 3/8, 3/8 and 5/8; NOT sugar 0, 0 and 5/5.
    Scenario Outline: An operator alone finds its word
      Given an empty store
      And these memories are written:
        | key  | content                  |
        | or   | Tea or milk              |
        | near | Milk NEAR tea            |
        | and  | Tea and bread, not sugar |
      When "<query>" is recalled
      Then these are found:
        | <key> |

      Examples:
        | query          | key  |
        | OR             | or   |
        | or             | or   |
        | NEAR           | near |
        | AND            | and  |
        | NOT            | and  |
        | NOT sugar      | and  |
        | tea NOT sugar  | and  |
        | bread AND milk | and  |

    # content:tea is wcontent gcon gont gnte gten gent wtea: 1 / 7; the others have less or nothing.
    Scenario Outline: No query reaches a column or a pattern
      Given an empty store
      And these memories are written:
        | key | content      |
        | tea | Tea and milk |
      When "<query>" is recalled
      Then nothing is found
      When "tea" is recalled
      Then these are found:
        | tea |

      Examples:
        | query              |
        | content:tea        |
        | tokens : tea       |
        | -content:tea       |
        | {content tags}:tea |
        | te*                |
        | mil*               |
        | m_lk               |
        | m%k                |
