"""Write Shaw's bias, `by_distance(query, table)`: query (T, K), table (2 k + 1, K) with
a row for each distance j - i from -k to k, farther words take the row at the end;
output (T, T): query i times the row of j - i, not divided by the root of K.

1. Which row of the table belongs to a pair? Make the row numbers first.
2. Distance j - i, clipped to -k..k, plus k: a (T, T) array of row numbers.
3. rows = np.clip(distance, -k, k) + k; then the product of query i with table[rows[i,
   j]].
"""

title = "Shaw's bias"
level, minutes = 2, 15
before = "indexing with arrays"


def cases(rng):
    # The vectors of the distances -k to k in a table of 2 k + 1 rows.
    def draw(T, K, k):
        return rng.normal(size=(T, K)), rng.normal(size=(2 * k + 1, K))

    cases = fixed_cases(rng, draw, 3, equal=3, long=(0,))
    cases.append(Case("no distance is clipped", draw(3, 2, 7)))
    return [*cases, Case("a table of one row", draw(5, 3, 0))]


# %% solution
def by_distance(query, table):
    ...  # (T, K), (2 k + 1, K); return (T, T)
    T, k = len(query), len(table) // 2
    distance = np.arange(T) - np.arange(T)[:, None]
    rows = np.clip(distance, -k, k) + k
    return np.einsum("tk,tsk->ts", query, table[rows])


# %% mistake: the sign of the distance is wrong: key minus query, j - i
distance = np.arange(T)[:, None] - np.arange(T)
# %% mistake: the distances are not clipped: far ones take a wrong row
rows = (distance + k) % len(table)
# %% mistake: distance 0 takes row 0; it is row k, in the middle
rows = np.clip(distance, -k, k)
# %% mistake: it is transposed: a row for every query
return np.einsum("tk,tsk->st", query, table[rows])
# %% mistake: the table's rows are multiplied with the key's place, not the query's
return np.einsum("sk,tsk->ts", query, table[rows])
# %% mistake: it is divided by the root of K; here it is not
return np.einsum("tk,tsk->ts", query / np.sqrt(query.shape[1]), table[rows])
# %% mistake: the distances are absolute; left and right differ
distance = np.abs(np.arange(T) - np.arange(T)[:, None])
# %% mistake: they are clipped at k - 1; the last row is for k
rows = np.clip(distance, -k, max(k - 1, 0)) + k
# %% mistake: far words get no bias; they take the row at the end
return (np.abs(distance) <= k) * np.einsum("tk,tsk->ts", query, table[rows])
# %% mistake: distances are capped on one side alone
rows = np.maximum(np.minimum(distance, k) + k, -len(table)) % len(table)
# %% mistake: a softmax was taken; this is a part of the score
return softmax(np.einsum("tk,tsk->ts", query, table[rows]))
# %% mistake: distances are capped on the right alone
rows = np.minimum(distance, k) + k
# %% mistake: they are clipped at k - 1 on both sides
rows = np.clip(distance, 1 - k, k - 1) + k
# %% mistake: these are the rows; their product with the query was asked for
return table[rows]
# %% mistake: far distances begin again; they take the row at the end
rows = distance % (k + 1) + k
