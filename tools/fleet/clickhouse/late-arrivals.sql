-- Late arrivals: plays from {from} up to {to} of which a row came only after {billed}, per kiosk and day of play.
-- What was billed at {billed} did not hold them yet: bill each of these days again, and book the difference.
-- What arrived in the hour before {billed} counts as late, too. The bill may have missed it: ClickHouse 26
-- takes for `receivedAt` the moment at which it begins to read a segment, a kiosk gives it a quarter of an hour for
-- 10,000 plays, and another server's clock may be behind.
-- Kiosks from {fromKiosk} up to {toKiosk}, as in billing.sql.
-- A void play (`given-back`) is in no count; a revision that makes a play void, or a void one a play, is one of `revisions`.
-- The same statement for 18.16 and later. Of a segment that was sent again, a merge may keep the later arrival.
--
-- `movedAway`: plays that were billed for this day, and that a later revision has moved to another time, because the
-- kiosk's clock was corrected. The revision is listed under its own day, if that is asked about.
SELECT
    kiosk,
    day,
    sum(isNew) AS newPlays,
    sum(isRevision) AS revisions,
    sum(isMoved) AS movedAway,
    max(seconds) AS latestSeconds
FROM
(
    SELECT
        kiosk,
        toDate(rowTime, 'UTC') AS day,
        toUInt64(rowRev = 0) AS isNew,
        toUInt64(rowRev > 0) AS isRevision,
        toUInt64(0) AS isMoved,
        toInt64(arrived - rowTime) AS seconds
    FROM
    (
        SELECT kiosk, epoch, seq, any(rev) AS rowRev, any(time) AS rowTime, min(receivedAt) AS arrived
        FROM plays
        WHERE kind = 'play'
            AND (rev > 0 OR outcome != 'given-back')
            AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
            AND time >= parseDateTimeBestEffort({from:String}, 'UTC') AND time < parseDateTimeBestEffort({to:String}, 'UTC')
        GROUP BY kiosk, epoch, seq
        HAVING arrived >= parseDateTimeBestEffort({billed:String}, 'UTC') - 3600
    )

    UNION ALL

    -- Each play by the row that held at {billed}, and by the one that holds now.
    SELECT
        kiosk,
        toDate(billedTime, 'UTC') AS day,
        toUInt64(0) AS isNew,
        toUInt64(0) AS isRevision,
        toUInt64(1) AS isMoved,
        toInt64(lastArrived - billedTime) AS seconds
    FROM
    (
        SELECT
            kiosk,
            playId,
            countIf(arrived < parseDateTimeBestEffort({billed:String}, 'UTC') - 3600) AS billedRows,
            argMaxIf(rowTime, revision, arrived < parseDateTimeBestEffort({billed:String}, 'UTC') - 3600) AS billedTime,
            argMaxIf(rowOutcome, revision, arrived < parseDateTimeBestEffort({billed:String}, 'UTC') - 3600) AS billedOutcome,
            argMax(rowTime, revision) AS newestTime,
            max(arrived) AS lastArrived
        FROM
        (
            -- As in billing.sql.
            SELECT
                kiosk,
                epoch,
                seq,
                any(id) AS playId,
                any(rev) * 17592186044416 + epoch AS revision,
                any(time) AS rowTime,
                any(outcome) AS rowOutcome,
                min(receivedAt) AS arrived
            FROM plays
            WHERE kind = 'play'
                AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
                AND ((time >= parseDateTimeBestEffort({from:String}, 'UTC') AND time < parseDateTimeBestEffort({to:String}, 'UTC')) OR rev > 0)
            GROUP BY kiosk, epoch, seq
        )
        GROUP BY kiosk, playId
        HAVING billedRows > 0 AND billedOutcome != 'given-back'
            AND billedTime >= parseDateTimeBestEffort({from:String}, 'UTC') AND billedTime < parseDateTimeBestEffort({to:String}, 'UTC')
            AND (toDate(newestTime, 'UTC') != toDate(billedTime, 'UTC')
                OR newestTime < parseDateTimeBestEffort({from:String}, 'UTC') OR newestTime >= parseDateTimeBestEffort({to:String}, 'UTC'))
    )
)
GROUP BY kiosk, day
ORDER BY kiosk, day
