-- Late arrivals: plays from {from} up to {to} of which a row came only after {billed}, per kiosk and day of play.
-- What was billed at {billed} did not hold them yet: bill them later, or as a correction.
-- The same statement for 18.16 and later. Of a segment that was sent again, a merge may keep the later arrival.
SELECT
    kiosk,
    toDate(rowTime, 'UTC') AS day,
    countIf(rowRev = 0) AS newPlays,
    countIf(rowRev > 0) AS revisions,
    max(arrived - rowTime) AS latestSeconds
FROM
(
    SELECT kiosk, epoch, seq, any(rev) AS rowRev, any(time) AS rowTime, min(receivedAt) AS arrived
    FROM plays
    WHERE kind = 'play'
        AND time >= parseDateTimeBestEffort({from:String}, 'UTC') AND time < parseDateTimeBestEffort({to:String}, 'UTC')
    GROUP BY kiosk, epoch, seq
    HAVING arrived >= parseDateTimeBestEffort({billed:String}, 'UTC')
)
GROUP BY kiosk, day
ORDER BY kiosk, day
