-- The table that kiosks write to. All repeats of a row lie on one shard, where merges remove them.
CREATE TABLE IF NOT EXISTS endcap.plays ON CLUSTER fleet
AS endcap.plays_local
ENGINE = Distributed(fleet, endcap, plays_local, cityHash64(kiosk));
