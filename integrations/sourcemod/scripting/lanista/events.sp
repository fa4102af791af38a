// What happens in the game: told to clients, and counted since the episode began.

#define EVENT_HURT 1
#define EVENT_INCAPACITATED 2
#define EVENT_DIED 3
#define EVENT_REVIVED 4
#define EVENT_HEALED 5
#define EVENT_KILLED_COMMON 6
#define EVENT_KILLED_SPECIAL 7
#define EVENT_SEIZED 8
#define EVENT_FREED 9
#define EVENT_REACHED_SAFE_ROOM 10
#define EVENT_PICKED_UP 11
#define EVENT_ROUND_OVER 12
#define EVENT_TANK 13
#define EVENT_WITCH 14
#define EVENT_HORDE 15

#define CLASS_WITCH 7
#define CLASS_TANK 8
#define CLASS_SURVIVOR 9
#define CLASS_COMMON 10

enum struct Tally
{
	int commonKills;
	int specialKills;
	int damageDealt;
	int damageTaken;
	int healingGiven;
	int revivesGiven;
	int timesIncapped;
}
Tally g_Tally[SEATS];
bool g_RescueLeft;

void Events_Start()
{
	HookEvent("player_hurt", OnPlayerHurt);
	HookEvent("infected_hurt", OnInfectedHurt);
	HookEvent("player_incapacitated", OnIncapacitated);
	HookEvent("player_death", OnPlayerDeath);
	HookEvent("infected_death", OnInfectedDeath);
	HookEvent("witch_killed", OnWitchKilled);
	HookEvent("revive_success", OnRevived);
	HookEvent("heal_success", OnHealed);
	HookEvent("lunge_pounce", OnSeized);
	HookEvent("tongue_grab", OnSeized);
	HookEvent("jockey_ride", OnSeized);
	HookEvent("charger_carry_start", OnSeized);
	HookEvent("pounce_stopped", OnFreed);
	HookEvent("tongue_pull_stopped", OnFreed);
	HookEvent("item_pickup", OnPickedUp);
	HookEvent("tank_spawn", OnTank);
	HookEvent("witch_harasser_set", OnWitch);
	HookEvent("create_panic_event", OnHorde);
	HookEvent("player_entered_checkpoint", OnCheckpoint);
	HookEvent("mission_lost", OnLost, EventHookMode_PostNoCopy);
	HookEvent("map_transition", OnWon, EventHookMode_PostNoCopy);
	HookEvent("finale_vehicle_leaving", OnWon, EventHookMode_PostNoCopy);
	HookEvent("round_start", OnRoundStart, EventHookMode_PostNoCopy);
}

void Events_NewEpisode()
{
	Tally none;
	for (int seat = 0; seat < SEATS; seat++)
	{
		g_Tally[seat] = none;
	}
	g_RescueLeft = false;
}

// The class of whoever did something: a player's, or a common infected's, or nobody's.
static int ClassOf(int client, int entity)
{
	if (client > 0 && client <= MaxClients && IsClientInGame(client))
	{
		return GetClientTeam(client) == 2 ? CLASS_SURVIVOR : GetEntProp(client, Prop_Send, "m_zombieClass");
	}
	char name[16];
	if (entity > MaxClients && IsValidEdict(entity) && GetEdictClassname(entity, name, sizeof(name)))
	{
		return StrEqual(name, "witch") ? CLASS_WITCH : (StrEqual(name, "infected") ? CLASS_COMMON : LN_NONE);
	}
	return LN_NONE;
}

static int SeatOr(int client)
{
	int seat = Bots_SeatOf(client);
	return seat < 0 ? LN_NONE : seat;
}

static void OnPlayerHurt(Event event, const char[] name, bool silent)
{
	int victim = GetClientOfUserId(event.GetInt("userid"));
	int attacker = GetClientOfUserId(event.GetInt("attacker"));
	int damage = event.GetInt("dmg_health");
	int seat = Bots_SeatOf(victim), by = Bots_SeatOf(attacker);
	if (seat >= 0)
	{
		g_Tally[seat].damageTaken += damage;
		Sessions_Tell(EVENT_HURT, seat, ClassOf(attacker, event.GetInt("attackerentid")), damage);
	}
	else if (by >= 0 && victim > 0 && GetClientTeam(victim) == 3)
	{
		g_Tally[by].damageDealt += damage;
	}
}

static void OnInfectedHurt(Event event, const char[] name, bool silent)
{
	int by = Bots_SeatOf(GetClientOfUserId(event.GetInt("attacker")));
	if (by >= 0)
	{
		g_Tally[by].damageDealt += event.GetInt("amount");
	}
}

static void OnIncapacitated(Event event, const char[] name, bool silent)
{
	int seat = Bots_SeatOf(GetClientOfUserId(event.GetInt("userid")));
	if (seat >= 0)
	{
		g_Tally[seat].timesIncapped++;
		int attacker = GetClientOfUserId(event.GetInt("attacker"));
		Sessions_Tell(EVENT_INCAPACITATED, seat, ClassOf(attacker, event.GetInt("attackerentid")), 0);
	}
}

static void OnPlayerDeath(Event event, const char[] name, bool silent)
{
	int victim = GetClientOfUserId(event.GetInt("userid"));
	int by = Bots_SeatOf(GetClientOfUserId(event.GetInt("attacker")));
	if (victim <= 0)
	{
		return;
	}
	int seat = Bots_SeatOf(victim);
	if (seat >= 0)
	{
		Sessions_Tell(EVENT_DIED, seat, LN_NONE, 0);
	}
	else if (by >= 0 && GetClientTeam(victim) == 3)
	{
		g_Tally[by].specialKills++;
		Sessions_Tell(EVENT_KILLED_SPECIAL, by, ClassOf(victim, 0), 0);
	}
}

static void OnInfectedDeath(Event event, const char[] name, bool silent)
{
	int by = Bots_SeatOf(GetClientOfUserId(event.GetInt("attacker")));
	if (by >= 0)
	{
		g_Tally[by].commonKills++;
		Sessions_Tell(EVENT_KILLED_COMMON, by, LN_NONE, 0);
	}
}

static void OnWitchKilled(Event event, const char[] name, bool silent)
{
	int by = Bots_SeatOf(GetClientOfUserId(event.GetInt("userid")));
	if (by >= 0)
	{
		g_Tally[by].specialKills++;
		Sessions_Tell(EVENT_KILLED_SPECIAL, by, CLASS_WITCH, 0);
	}
}

static void OnRevived(Event event, const char[] name, bool silent)
{
	int giver = GetClientOfUserId(event.GetInt("userid"));
	int seat = Bots_SeatOf(GetClientOfUserId(event.GetInt("subject")));
	if (Bots_SeatOf(giver) >= 0)
	{
		g_Tally[Bots_SeatOf(giver)].revivesGiven++;
	}
	if (seat >= 0)
	{
		Sessions_Tell(EVENT_REVIVED, seat, SeatOr(giver), 0);
	}
}

static void OnHealed(Event event, const char[] name, bool silent)
{
	int giver = GetClientOfUserId(event.GetInt("userid"));
	int subject = GetClientOfUserId(event.GetInt("subject"));
	int points = event.GetInt("health_restored");
	if (giver != subject && Bots_SeatOf(giver) >= 0)
	{
		g_Tally[Bots_SeatOf(giver)].healingGiven += points;
	}
	if (Bots_SeatOf(subject) >= 0)
	{
		Sessions_Tell(EVENT_HEALED, Bots_SeatOf(subject), SeatOr(giver), points);
	}
}

static void OnSeized(Event event, const char[] name, bool silent)
{
	int seat = Bots_SeatOf(GetClientOfUserId(event.GetInt("victim")));
	if (seat >= 0)
	{
		Sessions_Tell(EVENT_SEIZED, seat, ClassOf(GetClientOfUserId(event.GetInt("userid")), 0), 0);
	}
}

static void OnFreed(Event event, const char[] name, bool silent)
{
	int seat = Bots_SeatOf(GetClientOfUserId(event.GetInt("victim")));
	if (seat >= 0)
	{
		Sessions_Tell(EVENT_FREED, seat, SeatOr(GetClientOfUserId(event.GetInt("userid"))), 0);
	}
}

static void OnPickedUp(Event event, const char[] name, bool silent)
{
	int seat = Bots_SeatOf(GetClientOfUserId(event.GetInt("userid")));
	char item[48];
	event.GetString("item", item, sizeof(item));
	Format(item, sizeof(item), "weapon_%s", item);
	if (seat >= 0)
	{
		Sessions_Tell(EVENT_PICKED_UP, seat, LN_NONE, view_as<int>(L4D2_GetWeaponIdByWeaponName(item)));
	}
}

static void OnTank(Event event, const char[] name, bool silent)
{
	Sessions_Tell(EVENT_TANK, LN_NONE, LN_NONE, 0);
}

static void OnWitch(Event event, const char[] name, bool silent)
{
	Sessions_Tell(EVENT_WITCH, SeatOr(GetClientOfUserId(event.GetInt("userid"))), LN_NONE, 0);
}

static void OnHorde(Event event, const char[] name, bool silent)
{
	Sessions_Tell(EVENT_HORDE, LN_NONE, LN_NONE, 0);
}

static void OnCheckpoint(Event event, const char[] name, bool silent)
{
	int client = GetClientOfUserId(event.GetInt("userid"));
	int seat = Bots_SeatOf(client);
	if (seat >= 0 && L4D_IsInLastCheckpoint(client))
	{
		Sessions_Tell(EVENT_REACHED_SAFE_ROOM, seat, LN_NONE, 0);
	}
}

static void OnLost(Event event, const char[] name, bool silent)
{
	Sessions_Tell(EVENT_ROUND_OVER, LN_NONE, LN_NONE, 0);
}

static void OnWon(Event event, const char[] name, bool silent)
{
	g_RescueLeft = StrEqual(name, "finale_vehicle_leaving");
	Sessions_Tell(EVENT_ROUND_OVER, LN_NONE, LN_NONE, 1);
}

static void OnRoundStart(Event event, const char[] name, bool silent)
{
	Resets_RoundStarted();
}
