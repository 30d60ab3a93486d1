"""The noisy channel's two loops: candidates from a trie of the lexicon, and Viterbi over trigrams.

Costs are integers (1/256 of a natural logarithm), so both twins agree. Trie nodes lie level by level, the
children of a node side by side; n-grams lie in open-addressing tables with their whole keys.
"""

import cython


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _slot(keys: cython.longlong[::1], key: cython.longlong) -> cython.longlong:
    """Where a key lies, or -1; the size of a table is a power of two."""
    mask: cython.longlong = keys.shape[0] - 1
    slot: cython.longlong = ((key >> 21) * 7919 + (key >> 42) * 104729 + key) & mask
    while keys[slot] != 0:
        if keys[slot] == key:
            return slot
        slot = (slot + 1) & mask
    return -1


def fill(found: cython.longlong[::1], keys: cython.longlong[::1], places: cython.int[::1]):
    """Put every key into the table; `places` says where each went."""
    mask: cython.longlong = keys.shape[0] - 1
    i: cython.longlong
    slot: cython.longlong
    key: cython.longlong
    with cython.nogil:
        for i in range(found.shape[0]):
            key = cython.cast(cython.longlong, found[i])
            slot = ((key >> 21) * 7919 + (key >> 42) * 104729 + key) & mask
            while keys[slot] != 0:
                slot = (slot + 1) & mask
            keys[slot] = key
            places[i] = slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _language(
    u: cython.longlong,
    v: cython.longlong,
    w: cython.longlong,
    unigrams: cython.int[:, ::1],
    pair_keys: cython.longlong[::1],
    pairs: cython.int[:, ::1],
    triple_keys: cython.longlong[::1],
    triples: cython.int[::1],
) -> cython.longlong:
    """The cost of w after u v (u < 0: nothing is known of it)."""
    slot: cython.longlong
    cost: cython.longlong = 0
    if u >= 0:
        slot = _slot(triple_keys, (u << 42) | (v << 21) | w)
        if slot >= 0:
            return cython.cast(cython.longlong, triples[slot])
        slot = _slot(pair_keys, (u << 21) | v)
        if slot >= 0:
            cost = pairs[slot, 1]
    slot = _slot(pair_keys, (v << 21) | w)
    if slot >= 0:
        return cost + pairs[slot, 0]
    return cost + unigrams[v, 1] + unigrams[w, 0]


def candidates(
    letters: cython.int[::1],
    offsets: cython.longlong[::1],
    limits: cython.int[:, ::1],
    node_letter: cython.int[::1],
    first_child: cython.int[::1],
    child_count: cython.int[::1],
    node_word: cython.int[::1],
    replace: cython.int[:, ::1],
    delete: cython.int[::1],
    insert: cython.int[::1],
    swap: cython.longlong,
    same: cython.uchar[:, ::1],
    word_cost: cython.int[:, ::1],
    start: cython.longlong,
    stop: cython.longlong,
    stack: cython.longlong[:, ::1],
    out_words: cython.int[:, ::1],
    out_costs: cython.int[:, ::1],
    out_counts: cython.int[::1],
):
    """The cheapest words of the lexicon for the written words `start:stop`.

    `letters` are classes of letters. `limits` gives the most edits and the highest cost of each word;
    replacements marked in `same` (diacritics, case) are no edits. The list is ordered by the cost of the
    error plus half the cost of the word itself. `stack` bounds the search: what does not fit is left out.
    """
    i: cython.longlong
    k: cython.longlong
    c: cython.longlong
    d: cython.longlong
    begin: cython.longlong
    length: cython.longlong
    top: cython.longlong
    node: cython.longlong
    at: cython.longlong
    cost: cython.longlong
    edits: cython.longlong
    letter: cython.longlong
    written: cython.longlong
    child: cython.longlong
    next_cost: cython.longlong
    most: cython.longlong
    highest: cython.longlong
    count: cython.longlong
    word: cython.longlong
    rank: cython.longlong
    best: cython.longlong = out_words.shape[1]
    depth: cython.longlong = stack.shape[0] - 4
    with cython.nogil:
        for i in range(start, stop):
            begin = offsets[i]
            length = offsets[i + 1] - begin
            most = limits[i, 0]
            highest = limits[i, 1]
            count = 0
            stack[0, 0] = 0
            stack[0, 1] = 0
            stack[0, 2] = 0
            stack[0, 3] = 0
            top = 1
            while top > 0:
                top -= 1
                node = stack[top, 0]
                at = stack[top, 1]
                cost = stack[top, 2]
                edits = stack[top, 3]
                if at == length and node_word[node] >= 0:
                    word = node_word[node]
                    rank = cost + (word_cost[word, 0] >> 1)
                    k = 0
                    while k < count and out_words[i, k] != word:
                        k += 1
                    if k < count:
                        if cost < out_costs[i, k]:
                            out_costs[i, k] = cost
                        else:
                            rank = -1
                    elif count < best:
                        out_words[i, count] = word
                        out_costs[i, count] = cost
                        k = count
                        count += 1
                    elif rank < out_costs[i, count - 1] + (word_cost[out_words[i, count - 1], 0] >> 1):
                        k = count - 1
                        out_words[i, k] = word
                        out_costs[i, k] = cost
                    else:
                        rank = -1
                    if rank >= 0:
                        while k > 0 and rank < out_costs[i, k - 1] + (word_cost[out_words[i, k - 1], 0] >> 1):
                            out_words[i, k] = out_words[i, k - 1]
                            out_costs[i, k] = out_costs[i, k - 1]
                            k -= 1
                            out_words[i, k] = word
                            out_costs[i, k] = cost
                if top >= depth:
                    continue
                written = letters[begin + at] if at < length else -1
                if written >= 0 and edits < most:
                    next_cost = cost + insert[written]
                    if next_cost <= highest:
                        stack[top, 0] = node
                        stack[top, 1] = at + 1
                        stack[top, 2] = next_cost
                        stack[top, 3] = edits + 1
                        top += 1
                for c in range(child_count[node]):
                    if top >= depth:
                        break
                    child = first_child[node] + c
                    letter = node_letter[child]
                    if written >= 0:
                        if letter == written:
                            stack[top, 0] = child
                            stack[top, 1] = at + 1
                            stack[top, 2] = cost
                            stack[top, 3] = edits
                            top += 1
                        elif same[letter, written] or edits < most:
                            next_cost = cost + replace[letter, written]
                            if next_cost <= highest:
                                stack[top, 0] = child
                                stack[top, 1] = at + 1
                                stack[top, 2] = next_cost
                                stack[top, 3] = edits if same[letter, written] else edits + 1
                                top += 1
                    if edits < most:
                        next_cost = cost + delete[letter]
                        if next_cost <= highest:
                            stack[top, 0] = child
                            stack[top, 1] = at
                            stack[top, 2] = next_cost
                            stack[top, 3] = edits + 1
                            top += 1
                        if at + 1 < length and letter == letters[begin + at + 1] and cost + swap <= highest:
                            for d in range(child_count[child]):
                                if node_letter[first_child[child] + d] == written:
                                    stack[top, 0] = first_child[child] + d
                                    stack[top, 1] = at + 2
                                    stack[top, 2] = cost + swap
                                    stack[top, 3] = edits + 1
                                    top += 1
            out_counts[i] = count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _joint(
    u: cython.longlong,
    v: cython.longlong,
    w: cython.longlong,
    weights: cython.int[::1],
    classes: cython.longlong[:, ::1],
    unigrams: cython.int[:, ::1],
    pair_keys: cython.longlong[::1],
    pairs: cython.int[:, ::1],
    triple_keys: cython.longlong[::1],
    triples: cython.int[::1],
    lemma_unigrams: cython.int[:, ::1],
    lemma_pair_keys: cython.longlong[::1],
    lemma_pairs: cython.int[:, ::1],
    lemma_triple_keys: cython.longlong[::1],
    lemma_triples: cython.int[::1],
    tag_unigrams: cython.int[:, ::1],
    tag_pair_keys: cython.longlong[::1],
    tag_pairs: cython.int[:, ::1],
    tag_triple_keys: cython.longlong[::1],
    tag_triples: cython.int[::1],
) -> cython.longlong:
    """The weighted cost of the word w after u v by the models of forms, lemmas and tags."""
    cost: cython.longlong = weights[0] * _language(u, v, w, unigrams, pair_keys, pairs, triple_keys, triples)
    before: cython.longlong = -1
    if weights[1] != 0:
        if u >= 0:
            before = classes[u, 0]
        cost += weights[1] * _language(
            before, classes[v, 0], classes[w, 0],
            lemma_unigrams, lemma_pair_keys, lemma_pairs, lemma_triple_keys, lemma_triples,
        )  # fmt: skip
    if weights[2] != 0:
        if u >= 0:
            before = classes[u, 1]
        cost += weights[2] * _language(
            before, classes[v, 1], classes[w, 1],
            tag_unigrams, tag_pair_keys, tag_pairs, tag_triple_keys, tag_triples,
        )  # fmt: skip
    return cost >> 8


def viterbi(
    offsets: cython.longlong[::1],
    kinds: cython.int[::1],
    choice_offsets: cython.longlong[::1],
    choices: cython.longlong[:, ::1],
    costs: cython.int[::1],
    weights: cython.int[::1],
    classes: cython.longlong[:, ::1],
    unigrams: cython.int[:, ::1],
    pair_keys: cython.longlong[::1],
    pairs: cython.int[:, ::1],
    triple_keys: cython.longlong[::1],
    triples: cython.int[::1],
    lemma_unigrams: cython.int[:, ::1],
    lemma_pair_keys: cython.longlong[::1],
    lemma_pairs: cython.int[:, ::1],
    lemma_triple_keys: cython.longlong[::1],
    lemma_triples: cython.int[::1],
    tag_unigrams: cython.int[:, ::1],
    tag_pair_keys: cython.longlong[::1],
    tag_pairs: cython.int[:, ::1],
    tag_triple_keys: cython.longlong[::1],
    tag_triples: cython.int[::1],
    start: cython.longlong,
    stop: cython.longlong,
    states: cython.longlong[:, ::1],
    best: cython.int[::1],
):
    """The cheapest choice for every token of the sentences `start:stop`.

    A token of kind k may become any of `choices[choice_offsets[k]:choice_offsets[k + 1]]`: up to two words
    (-1: no word). `weights` (of 256) multiply the costs of forms, lemmas and tags; `classes` gives the lemma
    and the tag of every word. `states` is scratch: a beam of
    `states[0, 5]` rows for every token of the longest sentence and one more; its columns are the word before,
    the word, the cost, the state before, the choice.
    """
    s: cython.longlong
    t: cython.longlong
    i: cython.longlong
    j: cython.longlong
    k: cython.longlong
    c: cython.longlong
    u: cython.longlong
    v: cython.longlong
    a: cython.longlong
    b: cython.longlong
    cost: cython.longlong
    now: cython.longlong
    then: cython.longlong
    count: cython.longlong
    following: cython.longlong
    worst: cython.longlong
    width: cython.longlong = states[0, 5]
    with cython.nogil:
        for s in range(start, stop):
            if offsets[s] == offsets[s + 1]:
                continue
            states[0, 0] = -1
            states[0, 1] = 1
            states[0, 2] = 0
            count = 1
            now = 0
            for t in range(offsets[s], offsets[s + 1]):
                then = now + width
                following = 0
                for i in range(count):
                    u = states[now + i, 0]
                    v = states[now + i, 1]
                    for c in range(choice_offsets[kinds[t]], choice_offsets[kinds[t] + 1]):
                        a = choices[c, 0]
                        b = choices[c, 1]
                        cost = states[now + i, 2] + costs[c]
                        if following == width and cost >= states[then + width - 1, 2]:
                            continue
                        if a < 0:
                            a = u
                            b = v
                        else:
                            cost += _joint(
                                u, v, a, weights, classes, unigrams, pair_keys, pairs, triple_keys,
                                triples, lemma_unigrams, lemma_pair_keys, lemma_pairs,
                                lemma_triple_keys, lemma_triples, tag_unigrams, tag_pair_keys,
                                tag_pairs, tag_triple_keys, tag_triples,
                            )  # fmt: skip
                            if b < 0:
                                b = a
                                a = v
                            else:
                                cost += _joint(
                                    v, a, b, weights, classes, unigrams, pair_keys, pairs, triple_keys,
                                    triples, lemma_unigrams, lemma_pair_keys, lemma_pairs,
                                    lemma_triple_keys, lemma_triples, tag_unigrams, tag_pair_keys,
                                    tag_pairs, tag_triple_keys, tag_triples,
                                )  # fmt: skip
                        # Equal histories are one state; the beam stays sorted.
                        k = 0
                        while k < following and (states[then + k, 0] != a or states[then + k, 1] != b):
                            k += 1
                        if k < following:
                            if states[then + k, 2] <= cost:
                                continue
                        elif following < width:
                            following += 1
                        elif states[then + width - 1, 2] <= cost:
                            continue
                        else:
                            k = width - 1
                        while k > 0 and states[then + k - 1, 2] > cost:
                            for j in range(5):
                                states[then + k, j] = states[then + k - 1, j]
                            k -= 1
                        states[then + k, 0] = a
                        states[then + k, 1] = b
                        states[then + k, 2] = cost
                        states[then + k, 3] = i
                        states[then + k, 4] = c
                count = following
                now = then
            j = 0
            worst = -1
            for i in range(count):
                cost = states[now + i, 2] + _joint(
                    states[now + i, 0], states[now + i, 1], 2, weights, classes, unigrams, pair_keys,
                    pairs, triple_keys, triples, lemma_unigrams, lemma_pair_keys, lemma_pairs,
                    lemma_triple_keys, lemma_triples, tag_unigrams, tag_pair_keys, tag_pairs,
                    tag_triple_keys, tag_triples,
                )  # fmt: skip
                if worst < 0 or cost < worst:
                    worst = cost
                    j = i
            t = offsets[s + 1] - 1
            while t >= offsets[s]:
                best[t] = states[now + j, 4]
                j = states[now + j, 3]
                now -= width
                t -= 1
