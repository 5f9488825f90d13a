"""Texts that a schema can only call texts: the two small languages that lists take."""

import schemathesis
from hypothesis import strategies as st

quoted = st.text(alphabet="abcäß 09%/-", max_size=8).map(lambda text: f'"{text}"')


def conditions(inner):
    return st.one_of(
        st.builds("({})".format, inner),
        st.builds("not {}".format, inner),
        st.builds("{} {} {}".format, inner, st.sampled_from(["and", "or"]), inner),
    )


condition = st.one_of(
    st.builds("{} {} {}".format, st.sampled_from(["name", "id"]), st.sampled_from(["=", "!="]), quoted),
    st.builds("name in [{}]".format, st.lists(quoted, min_size=1, max_size=3).map(", ".join)),
)
schemathesis.openapi.format("filter", st.recursive(condition, conditions, max_leaves=4))

key = st.builds("{}{}".format, st.sampled_from(["", "-", "+"]), st.sampled_from(["name", "id"]))
schemathesis.openapi.format("sort-by", st.lists(key, min_size=1, max_size=3).map(",".join))
