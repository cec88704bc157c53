/* script: flame.js, heat.js and picture.css packed by the Makefile. */
#ifndef VIEW_SCRIPT_H
#define VIEW_SCRIPT_H

#include "base/packed.h"

extern const struct packed script_flame, script_heat, script_style;

#endif
