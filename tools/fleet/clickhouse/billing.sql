-- Billing: how often each flight played from {from} up to {to}, per campaign, flight and source.
-- The same statement for 18.16 and later.
--
-- Kiosks from {fromKiosk} up to {toKiosk}: one after the other, slices need less memory, and their sums add up.
-- A play is one (kiosk, id); its highest revision is what holds, so repeats and revisions count once. Of two with
-- the same revision the one of the higher epoch holds: the kiosk's database went back to a copy (epochs are below 2^44).
-- Rows with rev > 0 are read whatever their time: a revision may have moved a play in or out of the period.
SELECT
    tupleElement(newest, 1) AS campaign,
    tupleElement(newest, 2) AS flight,
    tupleElement(newest, 3) AS sourceName,
    tupleElement(newest, 4) AS sourceKey,
    countIf(lastOutcome != 'given-back') AS plays,
    countIf(lastOutcome != 'given-back' AND isNotNull(tupleElement(newest, 5))) AS shown,
    countIf(lastOutcome = 'completed') AS completed,
    countIf(lastOutcome != 'given-back' AND ifNull(abs(lastViewedMs - tupleElement(newest, 6)) <= 500, 0)) AS withinTolerance,
    countIf(lastOutcome = 'given-back') AS voided,
    sumIf(lastViewedMs, lastOutcome != 'given-back') / 1000 AS viewedSeconds,
    uniqExactIf(kiosk, lastOutcome != 'given-back') AS kiosks
FROM
(
    WITH rev * 17592186044416 + epoch AS revision
    SELECT
        kiosk,
        id,
        -- Within a tuple a null counts as a value; argMax alone would pass it over.
        argMax((campaignId, flightId, source, sourceId, shownAt, durationMs), revision) AS newest,
        argMax(outcome, revision) AS lastOutcome,
        argMax(viewedMs, revision) AS lastViewedMs,
        argMax(time, revision) AS lastTime
    FROM plays
    WHERE kind = 'play'
        AND kiosk >= {fromKiosk:String} AND kiosk < {toKiosk:String}
        AND ((time >= parseDateTimeBestEffort({from:String}, 'UTC') AND time < parseDateTimeBestEffort({to:String}, 'UTC')) OR rev > 0)
    GROUP BY kiosk, id
    HAVING lastTime >= parseDateTimeBestEffort({from:String}, 'UTC') AND lastTime < parseDateTimeBestEffort({to:String}, 'UTC')
)
GROUP BY campaign, flight, sourceName, sourceKey
ORDER BY campaign, flight, sourceName, sourceKey
