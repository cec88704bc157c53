#ifndef VERSION_H
#define VERSION_H

#define CULPRIT_VERSION "0.1"

#endif
