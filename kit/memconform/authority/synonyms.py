"""Words that mean the same in two languages, folded into one token each.

Members of Latin letters are whole words (several in a row, where there are several); members of
Chinese characters are looked for wherever they stand, in simplified characters.

Source: claim-recall, "Synonyms meet across languages". The groups are this project's own.
"""

from __future__ import annotations

SYNONYMS: dict[str, tuple[str, ...]] = {
    "answer": ("answer", "answers", "reply", "replies", "respond", "回答", "回复", "答复"),
    "backup": ("backup", "backups", "备份"),
    "branch": ("branch", "branches", "分支"),
    "brief": ("brief", "briefly", "concise", "short", "terse", "简洁", "简短", "精简"),
    "bug": ("bug", "bugs", "defect", "defects", "缺陷", "漏洞", "故障"),
    "build": ("build", "builds", "compile", "构建", "编译"),
    "comment": ("comment", "comments", "注释", "评论"),
    "commit": ("commit", "commits", "提交"),
    "config": ("config", "configuration", "setting", "settings", "配置", "设置"),
    "customer": ("client", "clients", "customer", "customers", "客户", "顾客"),
    "database": ("database", "databases", "db", "数据库"),
    "delete": ("delete", "remove", "erase", "删除", "移除"),
    "deploy": ("deploy", "deploys", "deployment", "rollout", "部署", "上线"),
    "document": ("doc", "docs", "document", "documentation", "文档", "文件"),
    "editor": ("editor", "editors", "编辑器"),
    "email": ("email", "emails", "mail", "邮件", "邮箱"),
    "error": ("error", "errors", "错误", "报错"),
    "invoice": ("invoice", "invoices", "bill", "bills", "发票", "账单"),
    "language": ("language", "languages", "语言"),
    "meeting": ("meeting", "meetings", "appointment", "会议", "开会"),
    "password": ("password", "passwords", "passphrase", "密码", "口令"),
    "prefer": (
        *("prefer", "prefers", "preference", "preferences", "favourite", "favorite"),
        *("偏好", "喜欢", "偏爱"),
    ),
    "project": ("project", "projects", "项目"),
    "release": ("release", "releases", "发布", "发版"),
    "report": ("report", "reports", "报告", "报表"),
    "server": ("server", "servers", "服务器"),
    "test": ("test", "tests", "testing", "测试"),
    "theme": ("theme", "themes", "dark mode", "主题", "深色模式"),
    "update": ("update", "updates", "upgrade", "更新", "升级"),
    "user": ("user", "users", "用户"),
}
