-- Missing ranges: the numbers of each kiosk's sequence that are not there, and whether the kiosk says why.
-- The same statement for 18.16 and later.
--   set aside: the newest manifest says that this segment was refused or cannot be read; the kiosk tries again daily
--   dropped:   the newest manifest says that the kiosk could not keep these plays until they were sent
--   missing:   nobody knows; see docs/fleet.md
--
-- Kiosks from {fromKiosk} up to {toKiosk}, as in billing.sql.
-- Runs of present numbers and set-aside ranges become points where one of them begins (+1) or ends (-1).
-- Between two points the sums say what lies there.
SELECT
    kiosk,
    epoch,
    tupleElement(gap, 1) AS missingFirst,
    tupleElement(gap, 2) AS missingLast,
    missingLast - missingFirst + 1 AS numbers,
    multiIf(tupleElement(gap, 3) = 0, 'missing', tupleElement(gap, 3) >= 1000000, 'dropped', 'set aside') AS reason
FROM
(
    SELECT
        kiosk,
        epoch,
        arraySort(groupArrayArray(points)) AS sorted,
        arrayMap(point -> tupleElement(point, 1), sorted) AS places,
        arrayCumSum(arrayMap(point -> tupleElement(point, 2), sorted)) AS runs,
        arrayCumSum(arrayMap(point -> tupleElement(point, 3), sorted)) AS asides,
        arrayPushBack(arrayPopFront(places), places[length(places)]) AS nextPlaces,
        arrayJoin(arrayFilter(
            piece -> tupleElement(piece, 4) = 0 AND tupleElement(piece, 2) >= tupleElement(piece, 1),
            arrayMap((place, nextPlace, run, aside) -> (place, nextPlace - 1, aside, run), places, nextPlaces, runs, asides)
        )) AS gap
    FROM
    (
        -- Runs of numbers that are there.
        SELECT
            kiosk,
            epoch,
            arraySort(groupUniqArray(toInt64(seq))) AS seqs,
            arrayConcat(
                arrayMap(place -> (place, toInt64(1), toInt64(0)),
                    arrayFilter((s, before) -> s != before + 1, seqs, arrayPushFront(arrayPopBack(seqs), toInt64(-1)))),
                arrayMap(place -> (place + 1, toInt64(-1), toInt64(0)),
                    arrayFilter((s, after) -> after != s + 1, seqs, arrayPushBack(arrayPopFront(seqs), toInt64(-1))))
            ) AS points
        FROM plays
        WHERE kind = 'play' AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
        GROUP BY kiosk, epoch

        UNION ALL

        -- From where to where numbers are expected: as far as manifests speak, or spoke of set-aside ranges.
        SELECT
            kiosk,
            epoch,
            emptyArrayInt64() AS seqs,
            [
                (toInt64(min(arrayReduce('min', arrayPushBack(
                    arrayMap(low -> toUInt64(low), extractAll(setAside, '"first":([0-9]+)')), `first`
                )))), toInt64(0), toInt64(0)),
                (toInt64(max(`last`)) + 1, toInt64(0), toInt64(0))
            ] AS points
        FROM plays
        WHERE kind = 'segment' AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
        GROUP BY kiosk, epoch

        UNION ALL

        -- What the newest manifest says is set aside (1), or dropped (a million). A range that an earlier one named and
        -- this one does not was delivered meanwhile.
        SELECT
            kiosk,
            epoch,
            emptyArrayInt64() AS seqs,
            [
                (toInt64(visitParamExtractUInt(range, 'first')), toInt64(0), weight),
                (toInt64(visitParamExtractUInt(range, 'last')) + 1, toInt64(0), -weight)
            ] AS points
        FROM
        (
            SELECT kiosk, epoch, arrayJoin(extractAll(argMax(setAside, seq), '[{][^}]*[}]')) AS range,
                toInt64(if(position(range, '"digest":null') > 0, 1000000, 1)) AS weight
            FROM plays
            WHERE kind = 'segment' AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
            GROUP BY kiosk, epoch
        )
    )
    GROUP BY kiosk, epoch
)
ORDER BY kiosk, epoch, missingFirst
