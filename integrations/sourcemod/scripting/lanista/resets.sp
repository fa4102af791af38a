// Episodes: how they start anew.

#define RESET_DONE 0
#define RESET_UNKNOWN_MAP 1
#define RESET_NOT_ALLOWED 2
#define RESET_FAILED 3
// A map takes its time to load; beyond this something is wrong.
#define RESET_PATIENCE_SECS 60.0
// The team is put into the world a moment after the round begins.
#define RESET_SETTLE_SECS 1.5

static bool s_UnderWay;
static float s_Began;
// When the round that was waited for has begun, 0 before.
static float s_Started;
// Where the team stood when the round began.
static float s_StartPlace[3];
static bool s_HasPlace;

bool Resets_UnderWay()
{
	return s_UnderWay;
}

// Session and request name who asked; they are 0 for v1, which gets its answer by a state.
void Resets_Begin(int session, int request, const char[] map)
{
	char current[LN_MAP_BYTES + 1];
	GetCurrentMap(current, sizeof(current));
	bool other = map[0] != '\0' && !StrEqual(map, current);
	if (other && !IsMapValid(map))
	{
		Sessions_Answer(session, request, RESET_UNKNOWN_MAP);
		return;
	}
	if (s_UnderWay && !other)
	{
		// Another has asked already: the episode to come is an answer to both.
		return;
	}
	s_UnderWay = true;
	s_Began = GetEngineTime();
	s_Started = 0.0;
	if (!other && !g_CvarReset.BoolValue && s_HasPlace)
	{
		PutBack();
		Finish();
		return;
	}
	// Not within the callback of a socket: the round ends under its feet.
	DataPack pack = new DataPack();
	pack.WriteString(other ? map : current);
	RequestFrame(Restart, pack);
}

static void Restart(DataPack pack)
{
	char map[LN_MAP_BYTES + 1];
	pack.Reset();
	pack.ReadString(map, sizeof(map));
	delete pack;
	char current[LN_MAP_BYTES + 1];
	GetCurrentMap(current, sizeof(current));
	if (StrEqual(map, current))
	{
		L4D_RestartScenarioFromVote(map);
	}
	else
	{
		ForceChangeLevel(map, "Lanista: a client asked for this map");
	}
}

// A round began: the one that was asked for, or the game's own after a defeat.
void Resets_RoundStarted()
{
	s_Started = GetEngineTime();
	s_HasPlace = false;
}

void Resets_Poll()
{
	float now = GetEngineTime();
	if (s_Started > 0.0 && now - s_Started >= RESET_SETTLE_SECS && TeamStands())
	{
		s_Started = 0.0;
		Finish();
	}
	else if (s_UnderWay && now - s_Began >= RESET_PATIENCE_SECS)
	{
		s_UnderWay = false;
		Sessions_AnswerAll(RESET_FAILED);
	}
}

static bool TeamStands()
{
	Bots_Seat();
	for (int seat = 0; seat < SEATS; seat++)
	{
		int client = Bots_Client(seat);
		if (client != 0 && IsPlayerAlive(client))
		{
			if (!s_HasPlace)
			{
				GetClientAbsOrigin(client, s_StartPlace);
				s_HasPlace = true;
			}
			return true;
		}
	}
	return false;
}

static void Finish()
{
	g_Episode++;
	Events_NewEpisode();
	Bots_Forget();
	if (s_UnderWay)
	{
		s_UnderWay = false;
		Sessions_AnswerAll(RESET_DONE);
	}
}

// The quick way: everybody alive, whole and at the start, and nothing that bites.
static void PutBack()
{
	float still[3];
	for (int client = 1; client <= MaxClients; client++)
	{
		if (!IsClientInGame(client))
		{
			continue;
		}
		if (GetClientTeam(client) == 3 && IsPlayerAlive(client))
		{
			ForcePlayerSuicide(client);
		}
		else if (Bots_SeatOf(client) >= 0)
		{
			if (!IsPlayerAlive(client))
			{
				L4D_RespawnPlayer(client);
			}
			else if (GetEntProp(client, Prop_Send, "m_isIncapacitated") != 0)
			{
				L4D_ReviveSurvivor(client);
			}
			SetEntProp(client, Prop_Send, "m_iHealth", 100);
			SetEntProp(client, Prop_Send, "m_currentReviveCount", 0);
			SetEntProp(client, Prop_Send, "m_bIsOnThirdStrike", 0);
			L4D_SetTempHealth(client, 0.0);
			TeleportEntity(client, s_StartPlace, NULL_VECTOR, still);
		}
	}
	int entity = -1;
	while ((entity = FindEntityByClassname(entity, "infected")) != -1)
	{
		RemoveEntity(entity);
	}
	entity = -1;
	while ((entity = FindEntityByClassname(entity, "witch")) != -1)
	{
		RemoveEntity(entity);
	}
}
