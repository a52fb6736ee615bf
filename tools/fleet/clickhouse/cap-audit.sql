-- Cap audit: every play from {from} up to {to} that its caps did not allow, recomputed from the plays alone.
-- An empty answer: no cap was exceeded anywhere. The same statement for 18.16 and later, once `npm run -s fleet-sql` has
-- filled in the windows of caps (`main/decisions/cap-windows.ts`).
--
-- Rule 7: plays count per flight in one kiosk's books (`environment`), whatever ad they are of; given-back ones
-- do not count. A play exceeds a cap of `limit` when the play `limit` places before it, in the order of their
-- times, lies inside the window; of a cap of the whole flight, when it is the play after the first `limit` of the
-- kiosk's sequence. Plays are counted from {history} on: the beginning of the flights for caps of
-- the whole flight; for all others one day more than the longest window before {from}.
--
-- Kiosks from {fromKiosk} up to {toKiosk}. A play takes some 2 KB of memory: ask slice by slice.
--
-- `nearCorrection` 1: the kiosk's clock was corrected so near that its window may have held other plays when the
-- cap was judged. Look at these apart.
SELECT
    kiosk,
    flight,
    capWindow,
    capLimit,
    tupleElement(play, 2) AS playId,
    tupleElement(play, 1) AS playMs,
    windowMs > 0 AND arrayExists(
        span -> playMs >= tupleElement(span, 1) - windowMs AND playMs <= tupleElement(span, 2) + windowMs,
        corrections
    ) AS nearCorrection
FROM
(
    SELECT
        kiosk,
        books,
        flight,
        capWindow,
        capLimit,
        -- The whole flight has the length 0; so has a window that is not known.
        transform(capWindow, ${windowNames}, ${windowLengths}, toInt64(0)) AS windowMs,
        -- Where a window begins moves on in steps: of one millisecond if it looks back, else of its length.
        transform(capWindow, ${windowNames}, ${windowSteps}, toInt64(1)) AS stepMs,
        transform(capWindow, ${windowNames}, ${windowFirsts}, toInt64(0)) AS firstMs,
        arrayJoin(arrayFilter(
            (p, playTime, earlier, texts, ordinal) -> tupleElement(p, 3) AND position(texts, cap) > 0 AND if(
                windowMs = 0,
                ordinal > capLimit,
                earlier >= playTime - modulo(playTime - firstMs, stepMs) - (windowMs - stepMs)
            ),
            plays,
            times,
            arrayResize(arrayConcat(arrayResize(emptyArrayInt64(), capLimit, toInt64(-1)), times), length(times)),
            capTexts,
            ordinals
        )) AS play
    FROM
    (
        SELECT
            kiosk,
            books,
            flight,
            plays,
            times,
            capTexts,
            ordinals,
            arrayJoin(caps) AS cap,
            visitParamExtractString(cap, 'window') AS capWindow,
            visitParamExtractUInt(cap, 'limit') AS capLimit
        FROM
        (
            SELECT
                kiosk,
                books,
                flight,
                arraySort(groupArray((firstEpoch, firstSeq, lastMs, id, lastCaps, isAsked))) AS inSequence,
                arraySort(arrayMap(
                    (p, place) -> (tupleElement(p, 3), tupleElement(p, 1), tupleElement(p, 2), tupleElement(p, 4), tupleElement(p, 5), tupleElement(p, 6), place),
                    inSequence,
                    arrayEnumerate(inSequence)
                )) AS sorted,
                arrayMap(p -> tupleElement(p, 7), sorted) AS ordinals,
                arrayMap(p -> tupleElement(p, 1), sorted) AS times,
                arrayMap(p -> tupleElement(p, 5), sorted) AS capTexts,
                arrayMap(p -> (tupleElement(p, 1), tupleElement(p, 4), tupleElement(p, 6)), sorted) AS plays,
                groupUniqArrayArray(extractAll(lastCaps, '[{](?:[^"}]|"(?:[^"\\\\]|\\\\.)*")*[}]')) AS caps
            FROM
            (
                -- As in billing.sql.
                WITH rev * 17592186044416 + epoch AS revision
                SELECT
                    kiosk,
                    id,
                    argMax(environment, revision) AS books,
                    argMax(tuple(flightId), revision) AS newestFlight,
                    assumeNotNull(tupleElement(newestFlight, 1)) AS flight,
                    argMax(outcome, revision) AS lastOutcome,
                    argMax(atMs, revision) AS lastMs,
                    argMax(ifNull(caps, '[]'), revision) AS lastCaps,
                    -- Rows of a loaded export, which have no digest, have no place in the sequence.
                    argMinIf(epoch, revision, digest != '') AS firstEpoch,
                    argMinIf(seq, revision, digest != '') AS firstSeq,
                    argMax(time, revision) AS lastTime,
                    lastTime >= parseDateTimeBestEffort({from:String}, 'UTC') AS isAsked
                FROM plays
                WHERE kind = 'play'
                    AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
                    AND ((time >= parseDateTimeBestEffort({history:String}, 'UTC') AND time < parseDateTimeBestEffort({to:String}, 'UTC')) OR rev > 0)
                GROUP BY kiosk, id
                HAVING lastOutcome != 'given-back'
                    AND isNotNull(tupleElement(newestFlight, 1))
                    AND lastTime >= parseDateTimeBestEffort({history:String}, 'UTC') AND lastTime < parseDateTimeBestEffort({to:String}, 'UTC')
            )
            GROUP BY kiosk, books, flight
            HAVING notEmpty(caps)
        )
        WHERE capLimit < length(times)
    )
    -- Always so: 18.16 does not see otherwise that the lambda above needs this column.
    WHERE notEmpty(cap)
) AS judged
ANY LEFT JOIN
(
    -- Where a kiosk's clock was corrected: between the times of one play's revisions, and where the next play
    -- of its sequence lies earlier than the one before. That one may lie behind the period, so all later plays are read.
    SELECT kiosk, corrections
    FROM
    (
        SELECT
            kiosk,
            arrayMap(p -> tupleElement(p, 3), arraySort(groupArray((firstEpoch, firstSeq, newestMs)))) AS inOrder,
            arrayPushFront(arrayPopBack(inOrder), toInt64(-1)) AS before,
            groupArrayIf((lowest, highest), lowest < highest) AS moved,
            arrayConcat(
                moved,
                arrayFilter(pair -> tupleElement(pair, 1) < tupleElement(pair, 2), arrayMap((low, high) -> (low, high), inOrder, before))
            ) AS corrections
        FROM
        (
            WITH rev * 17592186044416 + epoch AS revision
            SELECT
                kiosk,
                id,
                min(atMs) AS lowest,
                max(atMs) AS highest,
                argMax(atMs, revision) AS newestMs,
                argMin(epoch, revision) AS firstEpoch,
                argMin(seq, revision) AS firstSeq
            FROM plays
            WHERE kind = 'play'
                AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
                AND (time >= parseDateTimeBestEffort({history:String}, 'UTC') OR rev > 0)
                AND digest != ''
            GROUP BY kiosk, id
        )
        GROUP BY kiosk
    )
) AS corrected USING (kiosk)
ORDER BY nearCorrection, kiosk, flight, playMs, playId, capWindow, capLimit
