# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""What random queries are made of: each part of a query, and the same in SQL. To cover more, add rows to these tables."""

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns"]


def equals(column, value):
    """Returns SQL for a condition on a text, number or Boolean: they also equal a text that is written the same."""
    return f"({column} = '{value}' OR text_in({column}) = '{value}')"


# A missing value is unequal to every value; `<` and `>` hold only within a type.
CONDITIONS = [
    ("total>=3", "number_in(total) >= 3"),
    ("total<4.5", "number_in(total) < 4.5"),
    ("total=2", equals("total", "2")),
    ("total≠2", f"NOT coalesce({equals('total', '2')}, false)"),
    ("total=*", "total IS NOT NULL"),
    ("currency=EUR", "text_in(currency) = 'EUR'"),
    ("currency≠*", "currency IS NULL"),
    ("currency>c3", "text_in(currency) > 'c3'"),
    ("first=true", equals("first", "true")),
    ("code=1", equals("code", "1")),
    ('code="2.5"', "text_in(code) = '2.5'"),
    ("code!=true", f"NOT coalesce({equals('code', 'true')}, false)"),
    ("context.app.version:=2", "text_in(version) = '2'"),
    ("context.app.version≠*", "version IS NULL"),
    ("context.device.country=DE", "text_in(country) = 'DE'"),
    ("context.user.id=user-3", "user_id = 'user-3'"),
]
# Fields to group by, and their columns.
GROUPS = {"currency": "currency", "context.app.version": "version", "context.device.country": "country", "code": "code", "total": "total",
          "first": "first"}
# Measures in SQL, and the result for no events. `{number}` is the number that an event contributes.
MEASURES = {
    "events": ("count(*)", 0),
    "users": ("count(DISTINCT person)", 0),
    "installations": ("count(DISTINCT installation)", 0),
    "sum:total": ("coalesce(sum({number}), 0)", 0),
    "average:total": ("sum({number}) / count({number})", None),
    "p95:total": ("list_sort(list({number}) FILTER ({number} IS NOT NULL))[(95 * count({number}) + 99) // 100]", None),
}


def number_sql(reads_texts):
    return "coalesce(number_in(total), spelled_number(total))" if reads_texts else "number_in(total)"


def random_condition(rng, probability, maximum=2):
    """Returns parameters without names and one SQL condition, often none."""
    chosen = rng.sample(CONDITIONS, rng.randrange(1, maximum + 1)) if rng.random() < probability else []
    return [text for text, _ in chosen], " AND ".join(f"coalesce({sql}, false)" for _, sql in chosen) or "true"


def random_filter(rng, names, data):
    """Returns parameters of a filter and SQL: event names, conditions, a user or an installation."""
    query, sql = [("name", name) for name in names], "true"
    if names:
        sql = "name IN (" + ", ".join(f"'{name}'" for name in names) + ")"
    conditions, condition = random_condition(rng, 0.4)
    query += [("where", text) for text in conditions]
    owner, owner_sql = random_owner(rng, data)
    return query + owner, f"{sql} AND {condition} AND {owner_sql}"


def random_owner(rng, data, has_user=True):
    """Returns a filter by user or installation, often none. A user's filter includes events before the sign-in."""
    chance = rng.random()
    if has_user and chance < 0.1:
        user = rng.choice(data.users)
        return [("user", user)], (
            f"coalesce(person = 'u' || coalesce((SELECT root FROM merged m WHERE m.\"user\" = '{user}'), '{user}'), false)")
    if chance > 0.9:
        installation = rng.choice(data.installations)
        return [("installation", installation)], f"coalesce(installation = '{installation}', false)"
    return [], "true"
