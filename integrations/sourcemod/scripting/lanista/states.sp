// What the bots see, read out of the game once for all of them.

#define NEAR_UNITS 1000.0
#define NOBODY_UNITS 9999.0
#define OBJECTIVE_UNITS 500.0
#define MOST_AROUND 128
#define THREAT_UNITS 1500.0
#define REACH_UNITS 96.0
#define MOST_TRACES 8

#define MARK_VISIBLE (1 << 0)
#define MARK_ON_ME (1 << 1)
#define MARK_ON_ANOTHER (1 << 2)
#define MARK_BURNING (1 << 3)
#define MARK_INCAPPED (1 << 4)

// Everything that lives, but for those who look.
static int s_Around;
static int s_Entity[MOST_AROUND];
static int s_Class[MOST_AROUND];
static float s_Place[MOST_AROUND][3];

static void Add(int entity, int class)
{
	if (s_Around < MOST_AROUND)
	{
		s_Entity[s_Around] = entity;
		s_Class[s_Around] = class;
		GetEntPropVector(entity, Prop_Data, "m_vecAbsOrigin", s_Place[s_Around]);
		s_Around++;
	}
}

static void AddAll(const char[] classname, int class)
{
	int entity = -1;
	while ((entity = FindEntityByClassname(entity, classname)) != -1)
	{
		if (GetEntProp(entity, Prop_Data, "m_iHealth") > 0)
		{
			Add(entity, class);
		}
	}
}

// Looks around once; States_Of reads from it.
void States_Look()
{
	s_Around = 0;
	for (int client = 1; client <= MaxClients; client++)
	{
		if (!IsClientInGame(client) || !IsPlayerAlive(client))
		{
			continue;
		}
		int team = GetClientTeam(client);
		if (team == 2)
		{
			Add(client, CLASS_SURVIVOR);
		}
		else if (team == 3 && GetEntProp(client, Prop_Send, "m_isGhost") == 0)
		{
			Add(client, GetEntProp(client, Prop_Send, "m_zombieClass"));
		}
	}
	AddAll("witch", CLASS_WITCH);
	AddAll("infected", CLASS_COMMON);
}

static bool IsIncapped(int client)
{
	return GetEntProp(client, Prop_Send, "m_isIncapacitated") != 0;
}

static int WeaponIn(int client, int slot)
{
	int weapon = GetPlayerWeaponSlot(client, slot);
	return weapon > 0 ? view_as<int>(L4D2_GetWeaponId(weapon)) : 0;
}

void States_Of(int seat, int client, LnState s)
{
	s.botId = seat;
	s.isAlive = IsPlayerAlive(client);
	s.health = s.isAlive ? GetClientHealth(client) : 0;
	s.isIncapped = s.isAlive && IsIncapped(client);
	GetClientAbsOrigin(client, s.position);
	GetEntPropVector(client, Prop_Data, "m_vecAbsVelocity", s.velocity);
	float eyes[3];
	GetClientEyeAngles(client, eyes);
	s.angle[0] = eyes[0];
	s.angle[1] = eyes[1];
	s.primaryWeapon = WeaponIn(client, 0);
	s.secondaryWeapon = WeaponIn(client, 1);
	s.throwable = WeaponIn(client, 2);
	s.healthItem = WeaponIn(client, 3);
	int active = GetEntPropEnt(client, Prop_Send, "m_hActiveWeapon");
	s.ammo = active > 0 && HasEntProp(active, Prop_Send, "m_iClip1") ? GetEntProp(active, Prop_Send, "m_iClip1") : 0;
	s.nearbyEnemies = 0;
	s.nearestEnemyDist = NOBODY_UNITS;
	s.nearestTeammateDist = NOBODY_UNITS;
	s.teammatesAlive = 0;
	s.teammatesIncapped = 0;
	for (int i = 0; i < s_Around; i++)
	{
		if (s_Entity[i] == client)
		{
			continue;
		}
		float distance = GetVectorDistance(s.position, s_Place[i]);
		if (s_Class[i] == CLASS_SURVIVOR)
		{
			s.teammatesAlive++;
			s.teammatesIncapped += IsIncapped(s_Entity[i]) ? 1 : 0;
			s.nearestTeammateDist = distance < s.nearestTeammateDist ? distance : s.nearestTeammateDist;
		}
		else
		{
			s.nearbyEnemies += distance < NEAR_UNITS ? 1 : 0;
			s.nearestEnemyDist = distance < s.nearestEnemyDist ? distance : s.nearestEnemyDist;
		}
	}
	s.inSafeRoom = s.isAlive && (g_RescueLeft || L4D_IsInLastCheckpoint(client));
	float flow = L4D2Direct_GetFlowDistance(client), total = L4D2Direct_GetMapMaxFlowDistance();
	s.nearObjective = Ln_IsFinite(flow) && total > 0.0 && total - flow < OBJECTIVE_UNITS;
	for (int i = 0; i < 3; i++)
	{
		s.position[i] = Ln_IsFinite(s.position[i]) ? s.position[i] : 0.0;
		s.velocity[i] = Ln_IsFinite(s.velocity[i]) ? s.velocity[i] : 0.0;
	}
}

void States_ExtendedOf(int seat, int client, LnExtended e)
{
	bool alive = IsPlayerAlive(client);
	e.temporaryHealth = alive ? L4D_GetTempHealth(client) : 0.0;
	int active = GetEntPropEnt(client, Prop_Send, "m_hActiveWeapon");
	bool gun = active > 0 && HasEntProp(active, Prop_Send, "m_iClip1");
	e.clip = gun ? GetEntProp(active, Prop_Send, "m_iClip1") : 0;
	int kind = gun ? GetEntProp(active, Prop_Send, "m_iPrimaryAmmoType") : -1;
	e.reserveAmmo = kind >= 0 ? GetEntProp(client, Prop_Send, "m_iAmmo", _, kind) : 0;
	e.activeWeapon = active > 0 ? view_as<int>(L4D2_GetWeaponId(active)) : 0;
	e.pillsItem = WeaponIn(client, 4);
	e.conditions = Conditions(client, active);
	int holder = L4D_GetPinnedInfected(client);
	e.attacker = holder > 0 ? GetEntProp(holder, Prop_Send, "m_zombieClass") : 0;
	e.reviveCount = GetEntProp(client, Prop_Send, "m_currentReviveCount");
	// The game counts to 100, the protocol to 255.
	int percent = GetEntProp(client, Prop_Send, "m_clientIntensity");
	e.intensity = percent <= 0 ? 0 : (percent >= 100 ? 255 : percent * 255 / 100);
	// The game's own director does not say.
	e.directorPhase = 0;
	float flow = L4D2Direct_GetFlowDistance(client), total = L4D2Direct_GetMapMaxFlowDistance();
	e.flowDistance = Ln_IsFinite(flow) && flow >= 0.0 ? flow : -1.0;
	e.flowTotal = Ln_IsFinite(total) && total > 0.0 ? total : -1.0;
	e.commonKills = g_Tally[seat].commonKills;
	e.specialKills = g_Tally[seat].specialKills;
	e.damageDealt = g_Tally[seat].damageDealt;
	e.damageTaken = g_Tally[seat].damageTaken;
	e.healingGiven = g_Tally[seat].healingGiven;
	e.revivesGiven = g_Tally[seat].revivesGiven;
	e.timesIncapped = g_Tally[seat].timesIncapped;
}

static int Conditions(int client, int active)
{
	int flags = GetEntityFlags(client), use = GetEntProp(client, Prop_Send, "m_iCurrentUseAction");
	int conditions = 0;
	conditions |= flags & FL_ONGROUND ? 1 << 0 : 0;
	conditions |= flags & FL_DUCKING ? 1 << 1 : 0;
	conditions |= GetEntityMoveType(client) == MOVETYPE_LADDER ? 1 << 2 : 0;
	bool reloads = active > 0 && HasEntProp(active, Prop_Send, "m_bInReload")
		&& GetEntProp(active, Prop_Send, "m_bInReload") != 0;
	conditions |= reloads ? 1 << 3 : 0;
	conditions |= GetEntProp(client, Prop_Send, "m_isHangingFromLedge") != 0 ? 1 << 4 : 0;
	conditions |= GetEntPropEnt(client, Prop_Send, "m_reviveOwner") > 0 ? 1 << 5 : 0;
	conditions |= GetEntPropEnt(client, Prop_Send, "m_reviveTarget") > 0 ? 1 << 6 : 0;
	// 1 is healing, oneself or another.
	conditions |= use == 1 ? 1 << 7 : 0;
	conditions |= GetEntProp(client, Prop_Send, "m_bAdrenalineActive") != 0 ? 1 << 8 : 0;
	float bile = GetEntPropFloat(client, Prop_Send, "m_vomitStart");
	conditions |= bile > 0.0 && GetGameTime() - bile < 20.0 ? 1 << 9 : 0;
	conditions |= GetEntProp(client, Prop_Send, "m_bIsOnThirdStrike") != 0 ? 1 << 10 : 0;
	conditions |= GetEntProp(client, Prop_Send, "m_isCalm") != 0 ? 1 << 11 : 0;
	return conditions;
}

// The nearest `most` of what is around a bot, infected first; returns how many.
int States_Entities(int client, const float place[3], LnEntity[] entities, int most)
{
	bool taken[MOST_AROUND];
	int count = 0;
	for (int pass = 0; pass < 2; pass++)
	{
		while (count < most)
		{
			int nearest = -1;
			float least = 0.0;
			for (int i = 0; i < s_Around; i++)
			{
				if (taken[i] || s_Entity[i] == client || (s_Class[i] == CLASS_SURVIVOR) != (pass == 1))
				{
					continue;
				}
				float distance = GetVectorDistance(place, s_Place[i], true);
				if (nearest < 0 || distance < least)
				{
					nearest = i;
					least = distance;
				}
			}
			if (nearest < 0)
			{
				break;
			}
			taken[nearest] = true;
			Describe(client, place, nearest, entities[count]);
			count++;
		}
	}
	return count;
}

// The infected that a bot aims at: the nearest in sight, specials rather than commons and whoever holds somebody first;
// 0 for none. It is one of those that States_Look saw, if it is still there.
int States_Threat(int client)
{
	float feet[3], eyes[3], place[3];
	float weighed[MOST_AROUND];
	GetClientAbsOrigin(client, feet);
	GetClientEyePosition(client, eyes);
	for (int i = 0; i < s_Around; i++)
	{
		weighed[i] = -1.0;
		float distance = GetVectorDistance(feet, s_Place[i]);
		if (s_Class[i] != CLASS_SURVIVOR && distance <= THREAT_UNITS && IsThere(i) && !IsSittingWitch(i))
		{
			weighed[i] = distance * Nearer(i);
		}
	}
	for (int traces = 0; traces < MOST_TRACES; traces++)
	{
		int best = -1;
		for (int i = 0; i < s_Around; i++)
		{
			if (weighed[i] >= 0.0 && (best < 0 || weighed[i] < weighed[best]))
			{
				best = i;
			}
		}
		if (best < 0)
		{
			return 0;
		}
		weighed[best] = -1.0;
		GetEntPropVector(s_Entity[best], Prop_Data, "m_vecAbsOrigin", place);
		if (IsVisible(eyes, place, s_Entity[best]))
		{
			return s_Entity[best];
		}
	}
	return 0;
}

// An index may have been given to something else since it was looked at.
static bool IsThere(int i)
{
	int entity = s_Entity[i];
	if (entity <= MaxClients)
	{
		return IsClientInGame(entity) && IsPlayerAlive(entity) && GetClientTeam(entity) == 3;
	}
	return IsValidEdict(entity) && IsInfected(entity) && GetEntProp(entity, Prop_Data, "m_iHealth") > 0;
}

// A sitting witch is better left alone.
static bool IsSittingWitch(int i)
{
	return s_Class[i] == CLASS_WITCH && HasEntProp(s_Entity[i], Prop_Send, "m_rage")
		&& GetEntPropFloat(s_Entity[i], Prop_Send, "m_rage") < 1.0;
}

static float Nearer(int i)
{
	if (s_Class[i] == CLASS_COMMON)
	{
		return 1.0;
	}
	return s_Entity[i] <= MaxClients && L4D_GetPinnedSurvivor(s_Entity[i]) > 0 ? 0.2 : 0.7;
}

// The nearest fellow within reach who is to be helped up, or who stands and can be healed; 0 for none.
int States_Fellow(int client, bool incapped)
{
	float feet[3], place[3];
	GetClientAbsOrigin(client, feet);
	int nearest = 0;
	float least = REACH_UNITS;
	for (int other = 1; other <= MaxClients; other++)
	{
		if (other == client || !IsClientInGame(other) || GetClientTeam(other) != 2 || !IsPlayerAlive(other)
			|| IsIncapped(other) != incapped || (!incapped && GetClientHealth(other) >= 100))
		{
			continue;
		}
		GetClientAbsOrigin(other, place);
		float distance = GetVectorDistance(feet, place);
		if (distance <= least)
		{
			least = distance;
			nearest = other;
		}
	}
	return nearest;
}

static void Describe(int client, const float place[3], int i, LnEntity entity)
{
	int other = s_Entity[i];
	float velocity[3], eyes[3];
	GetEntPropVector(other, Prop_Data, "m_vecAbsVelocity", velocity);
	entity.class = s_Class[i];
	entity.id = other;
	entity.health = GetEntProp(other, Prop_Data, "m_iHealth");
	for (int axis = 0; axis < 3; axis++)
	{
		entity.offset[axis] = RoundToNearest(s_Place[i][axis] - place[axis]);
	}
	entity.velocity[0] = RoundToNearest(velocity[0]);
	entity.velocity[1] = RoundToNearest(velocity[1]);
	entity.marks = 0;
	GetClientEyePosition(client, eyes);
	if (IsVisible(eyes, s_Place[i], other))
	{
		entity.marks |= MARK_VISIBLE;
	}
	if (s_Class[i] == CLASS_SURVIVOR)
	{
		entity.marks |= IsIncapped(other) ? MARK_INCAPPED : 0;
	}
	else if (other <= MaxClients)
	{
		int held = L4D_GetPinnedSurvivor(other);
		entity.marks |= held == client ? MARK_ON_ME : (held > 0 ? MARK_ON_ANOTHER : 0);
	}
	entity.marks |= GetEntityFlags(other) & FL_ONFIRE ? MARK_BURNING : 0;
}

static bool IsVisible(const float eyes[3], const float feet[3], int target)
{
	float chest[3];
	chest = feet;
	chest[2] += 48.0;
	Handle trace = TR_TraceRayFilterEx(eyes, chest, MASK_VISIBLE, RayType_EndPoint, OnlyTheWorld, target);
	bool clear = !TR_DidHit(trace);
	delete trace;
	return clear;
}

static bool OnlyTheWorld(int entity, int mask, any target)
{
	return entity == 0 || (entity > MaxClients && entity != target && !IsInfected(entity));
}

static bool IsInfected(int entity)
{
	char name[16];
	GetEdictClassname(entity, name, sizeof(name));
	return StrEqual(name, "infected") || StrEqual(name, "witch");
}
