Feature: Foundation index parity
  An index may order what it looks at; it may not decide what is looked at. Here more memories match
  than any window of candidates holds, and the right one is the last that a rank by BM25 would come to.

  @req:retrieval-foundation/an-index-loses-nothing @must @slow
  Rule: An index loses nothing

    # All cover 3 of 3 tokens, so that importance decides: .075 x 1 and .075 x .9 against .075 x .5. By BM25
    # the long ones are the last, and by id or time of writing one of them is.
    @needs:clock
    Scenario: The most important of 301 memories is found
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key     | content | importance |
        | a-early | jam of a fox that is red, with 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047 1048 1049 1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069 1070 1071 1072 1073 1074 1075 1076 1077 1078 1079 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095 1096 1097 1098 1099 | 0.9        |
      And 299 memories are written like "red red fox fox jam jam (n)"
      And these memories are written:
        | key    | content | importance |
        | z-late | jam for a fox that is red, with 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047 1048 1049 1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069 1070 1071 1072 1073 1074 1075 1076 1077 1078 1079 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095 1096 1097 1098 1099 | 1          |
      When "red fox jam" is recalled with:
        | limit | 2 |
      Then these are found in order:
        | z-late  |
        | a-early |

    # gate1x is wgate1x ggat gate gte1 ge1x, so that the query has 11 tokens: three words, gat, ate, te1,
    # te2, te3, e1x, e2x and e3x. Of each of 900 memories gate1 to gate900 it has gat, ate and at most one
    # of te1, te2 and te3: 3 / 11 = 0.273. Of the long one it has five: 5 / 11 = 0.455. 111 memories each
    # have te1, te2 and te3; each of these 333 is shorter and the higher by BM25.
    @needs:trace
    Scenario: The memory that covers enough is found among 900 that don't
      Given an empty store
      And 900 memories are written like "gate(n)"
      And these memories are written:
        | key  | content |
        | long | gate1 gate2 gate3 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047 1048 1049 1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069 1070 1071 1072 1073 1074 1075 1076 1077 1078 1079 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095 1096 1097 1098 1099 1100 1101 1102 1103 1104 1105 1106 1107 1108 1109 1110 1111 1112 1113 1114 1115 1116 1117 1118 1119 1120 1121 1122 1123 1124 1125 1126 1127 1128 1129 1130 1131 1132 1133 1134 1135 1136 1137 1138 1139 1140 1141 1142 1143 1144 1145 1146 1147 1148 1149 |
      When "gate1x gate2x gate3x" is recalled with:
        | trace | true |
      Then these are found:
        | long |
      And the "trace" says:
        | queryTokenCount                 | 11          |
        | candidateCount                  | 901         |
        | filtered.irrelevant             | 900         |
        | rankings[long].features.lexical | 0.454545455 |

    @needs:clock
    Scenario: The most important of 301 facts is found by its type
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And these memories are written:
        | key     | content                      | importance |
        | a-early | Ada Lovelace lives by Oxford | 0.9        |
      And 299 memories are written like "Shelf (n)"
      And these memories are written:
        | key    | content                  | importance |
        | z-late | Ada Lovelace plays chess | 1          |
      When "Who am I?" is recalled with:
        | limit | 2 |
      Then these are found in order:
        | z-late  |
        | a-early |

    @needs:workspaces
    Scenario: Foreign memories fill no window
      Given an empty store
      And 300 memories are written like "red red fox fox jam jam (n)"
      And these memories are written:
        | key  | content | workspace |
        | long | jam of a fox that is red, with 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047 1048 1049 1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069 1070 1071 1072 1073 1074 1075 1076 1077 1078 1079 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095 1096 1097 1098 1099 | /w/red    |
      When "red fox jam" is recalled with:
        | workspace | /w/red |
      Then these are found:
        | long |

    @needs:filters
    Scenario: Filtered memories fill no window
      Given an empty store
      And 300 memories are written like "red red fox fox jam jam (n)"
      And these memories are written:
        | key  | content | type     |
        | long | jam of a fox that is red, with 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047 1048 1049 1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069 1070 1071 1072 1073 1074 1075 1076 1077 1078 1079 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095 1096 1097 1098 1099 | decision |
      When "red fox jam" is recalled with:
        | types | decision |
      Then these are found:
        | long |

    @needs:clock
    Scenario: Repeats fill no window
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And 300 memories are written like "red fox jam"
      And these memories are written:
        | key  | content | importance |
        | long | jam of a fox that is red, with 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047 1048 1049 1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069 1070 1071 1072 1073 1074 1075 1076 1077 1078 1079 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095 1096 1097 1098 1099 | 0          |
      When "red fox jam" is recalled
      Then "long" is found
      And the "answer" says:
        | hits.length | 2 |

    @needs:trace @needs:clock @level:exact
    Scenario: The right eight of 301 are found in order
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And 293 memories are written like "red red fox fox jam jam (n)"
      And these memories are written:
        | key | content | importance |
        | a   | red fox jam, first of 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 | 0.6        |
        | b   | red fox jam, second of 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 | 0.65       |
        | c   | red fox jam, third of 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 | 0.7        |
        | d   | red fox jam, fourth of 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 | 0.75       |
        | e   | red fox jam, fifth of 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 | 0.8        |
        | f   | red fox jam, sixth of 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 | 0.85       |
        | g   | red fox jam, seventh of 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 | 0.9        |
        | h   | red fox jam, eighth of 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 | 0.95       |
      When "red fox jam" is recalled with:
        | trace | true |
      Then these are found in order:
        | h |
        | g |
        | f |
        | e |
        | d |
        | c |
        | b |
        | a |
      And the "trace" says:
        | candidateCount      | 301 |
        | filtered.irrelevant | 0   |

    # All hold the six pairs 用户 户叫 叫什 什么 么名 名字, so that importance decides, as in the first.
    @needs:clock
    Scenario: The most important of 301 Chinese memories is found
      Given an empty store with:
        | clock | 2026-06-30T00:00:00Z |
      And 300 memories are written like "用户叫什么名字 (n)"
      And these memories are written:
        | key  | content | importance |
        | long | 用户叫什么名字 1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039 1040 1041 1042 1043 1044 1045 1046 1047 1048 1049 1050 1051 1052 1053 1054 1055 1056 1057 1058 1059 1060 1061 1062 1063 1064 1065 1066 1067 1068 1069 1070 1071 1072 1073 1074 1075 1076 1077 1078 1079 1080 1081 1082 1083 1084 1085 1086 1087 1088 1089 1090 1091 1092 1093 1094 1095 1096 1097 1098 1099 | 1          |
      When "用户叫什么名字" is recalled with:
        | limit | 1 |
      Then these are found:
        | long |
