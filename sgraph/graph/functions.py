"""The functions that another person's query may call, and with how many arguments.

Not all of an engine's are here. Some end the process when called with too few arguments or with a kind of value they do
not expect, for some no time limit holds, and a few reach outside the graph. Those that are here were called with every
kind of value, and at random.
"""

from __future__ import annotations

from collections.abc import Mapping

_BY_ARGUMENTS: tuple[tuple[int, int, str], ...] = (
    (0, 0, "current_date current_timestamp"),
    (1, 1, "count collect sum avg min max cast typeof"),
    (1, 1, "id label labels nodes rels relationships length is_trail is_acyclic"),
    (2, 2, "properties ifnull nullif"),
    (1, 20, "coalesce concat"),
    (1, 1, "lower upper tolower toupper lcase ucase initcap trim ltrim rtrim reverse size md5 sha256"),
    (2, 2, "left right contains starts_with ends_with prefix suffix regexp_matches list_to_string"),
    (3, 3, "substring substr"),
    (2, 3, "regexp_extract"),
    (1, 1, "abs ceil ceiling floor sign sqrt ln log log2 log10"),
    (2, 2, "round pow"),
    (1, 1, "timestamp date interval dayname monthname last_day epoch_ms to_timestamp"),
    (2, 2, "date_part datepart date_trunc datetrunc"),
    (2, 3, "range"),
    (2, 2, "list_filter list_transform list_has_all list_position list_extract"),
    (2, 2, "list_element list_append list_concat list_cat"),
    (1, 1, "list_sort list_reverse list_distinct list_unique"),
)
ARGUMENTS: Mapping[str, range] = {
    name.upper(): range(least, most + 1) for least, most, names in _BY_ARGUMENTS for name in names.split()
}
TEXT_FUNCTIONS = frozenset({"LOWER", "UPPER", "TOLOWER", "TOUPPER", "LCASE", "UCASE", "TRIM", "LTRIM", "RTRIM"})
PROCEDURES = frozenset({"SHOW_TABLES", "TABLE_INFO", "SHOW_CONNECTION", "SHOW_FUNCTIONS", "DB_VERSION"})
QUANTIFIERS = frozenset({"ANY", "ALL", "NONE", "SINGLE"})
TAKE_LAMBDA = frozenset({"LIST_FILTER", "LIST_TRANSFORM"})
# These look into a node, a relationship or a path, and end the process when handed something else.
_OF_VARIABLE = "id label labels nodes rels relationships length is_trail is_acyclic properties"
OF_VARIABLE = frozenset(name.upper() for name in _OF_VARIABLE.split())
# Two of these on a list of five thousand already take forever, and no time limit holds inside a call.
GROWING = frozenset({"LIST_CONCAT", "LIST_CAT", "LIST_TRANSFORM"})
# Words of the language that may stand before a bracket; any other word there is a function.
_KEYWORDS = (
    "match where and or xor not in return with unwind distinct by when then else case limit skip contains exists union "
    "shortest wshortest trail acyclic"
)
BEFORE_BRACKET = frozenset(word.upper() for word in _KEYWORDS.split())
